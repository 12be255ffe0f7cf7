package main

import "fmt"

type P struct {
	name string
	pos  [2]float64
	tags [3]string
	in   struct {
		m [2]map[string]int
		f [2]func(int) int
	}
}
type Grid [3][4]int8
type M struct {
	cells [2][2]P
	ptrs  [2]*P
	g     *Grid
}

func (g *Grid) set(r, c int, v int8) *Grid { g[r][c] = v; return g }
func (g Grid) row(r int) [4]int8           { return g[r] }
func (p P) moved(dx float64) P             { p.pos[0] += dx; return p }
func (p *P) move(dx float64)               { p.pos[1] += dx }
func newP(n string) P                      { return P{name: n, tags: [3]string{1: n + "!"}} }
func ptr() *P                              { calls++; p := newP("ptr"); return &p }
func idx(i int) int                        { calls++; return i }
func arr() [3]int                          { calls++; return [3]int{7, 8, 9} }
func parr(a *[3]int) *[3]int               { calls++; return a }

var calls int
var gm = M{g: &Grid{}}
var ga [4]P

func main() {
	var m M
	m.cells[0][1] = newP("a")
	m.cells[1] = m.cells[0]
	m.cells[1][1].pos[1] = 2.5
	m.cells[1][1].tags[2] += "z"
	fmt.Println(m.cells[0][1].name, m.cells[0][1].pos, m.cells[1][1].pos, m.cells[1][1].tags)
	p := &m.cells[0][0]
	p.move(3)
	q := m.cells[0][0].moved(4)
	fmt.Println(p.pos, q.pos)
	m.ptrs[1] = p
	m.ptrs[1].tags[0] = "via"
	m.ptrs[1].in.m[0] = map[string]int{"k": 1}
	m.ptrs[1].in.m[0]["k"]++
	m.ptrs[1].in.f[1] = func(x int) int { return x * len(p.tags[0]) }
	fmt.Println(m.cells[0][0].tags, m.cells[0][0].in.m[0]["k"], m.cells[0][0].in.f[1](5))
	var g Grid
	g.set(1, 2, 5).set(2, 3, -7)[0][0]--
	h := g
	h[1] = g.row(2)
	row := &h[0]
	row[3] = 100
	for i := range row {
		row[i]++
	}
	fmt.Println(g, h, len(h), len(h[0]), len(row))
	for i, r := range h {
		h[2][0] = 99
		for j := range r {
			if r[j] != 0 {
				fmt.Print(i, j, r[j], " ")
			}
		}
	}
	fmt.Println()
	a := arr()
	pa := &a
	for i, v := range pa {
		pa[2] = i * 100
		fmt.Print(v, " ")
	}
	for i := range parr(pa) {
		fmt.Print(i)
	}
	fmt.Println(len(parr(pa)), cap(pa), calls)
	parr(pa)[idx(1)] += idx(5)
	arr2 := arr()[idx(2)]
	fmt.Println(a, arr2, arr()[1], calls)
	sl := pa[1:]
	sl[0], sl[1] = sl[1], sl[0]
	s3 := pa[:1:2]
	s3 = append(s3, -1)
	s3 = append(s3, -2)
	s3[0] = 0
	fmt.Println(a, sl, s3, len(s3))
	mp := map[string]P{"x": newP("x")}
	v := mp["x"]
	v.tags[0] = "changed"
	fmt.Println(mp["x"].tags, v.tags, mp["none"].tags[1] == "", mp["x"].in.m[1] == nil)
	mp["x"] = v
	mps := map[string]*[2]int{"a": {1, 2}}
	mps["a"][1]++
	mps["b"] = &[2]int{}
	mps["b"][0]--
	fmt.Println(*mps["a"], *mps["b"], mp["x"].tags)
	ma := map[[2]string][2]int{{"a", "b"}: {1, 2}}
	t := ma[[2]string{"a", "b"}]
	t[0] = 50
	ma[[2]string{"c", "d"}] = t
	fmt.Println(ma)
	gm.g.set(0, 1, 3)
	gm.cells[1][0] = newP("global")
	gm.ptrs[0] = &gm.cells[1][0]
	gm.ptrs[0].name += "2"
	ga[2] = gm.cells[1][0]
	ga[idx(3)], ga[1] = ga[2], newP("one")
	cp := ga
	cp[3].name = "copy"
	fmt.Println(gm.cells[1][0].name, gm.g, ga[3].name, cp[3].name, ga[1].name)
	ch := make(chan P, 2)
	ch <- v
	v.name = "after"
	ch <- v
	w := <-ch
	fmt.Println(w.name, (<-ch).name)
	fs := [2]func() [2]int{func() [2]int { return [2]int{1, 2} }, nil}
	x, y := fs[0](), fs[0]()
	x[0] = 9
	fmt.Println(x, y, x == y, fs[0]() == y, fs[1] == nil)
	st := []struct {
		a [2]int
		b string
	}{{[2]int{1, 2}, "q"}, {b: "r"}}
	st[1].a, st[0].a = st[0].a, st[1].a
	st[0], st[1] = st[1], st[0]
	for _, e := range st {
		e.a[0] = 1000
	}
	for i := range st {
		e := &st[i]
		e.a[1] += i + 1
	}
	fmt.Println(st)
	ptr().pos[idx(1)] = 2
	ptr().tags[0], ptr().name = "a", "b"
	var e any = [2][]int{{1}, {2, 3}}
	if z, ok := e.([2][]int); ok {
		z[0] = nil
		fmt.Println(len(z[1]), len(e.([2][]int)[0]))
	}
	func(p P, q *P, r [2]int) {
		p.tags[0] = "arg"
		q.tags[0] = "ptr"
		r[0]++
	}(v, &w, x)
	fmt.Println(v.tags[0], w.tags[0], x, calls)
	defer func(p P) { fmt.Println("deferred", p.name, v.name) }(v)
	v.name = "last"
	zero := [0]P{}
	fmt.Println(len(zero), [2]struct{}{} == [2]struct{}{})
	var nilp *[4]int
	fmt.Println(len(nilp), cap(nilp))
	for i := range nilp {
		fmt.Print(i)
	}
	fmt.Println()
	defer func() { fmt.Println(recover()) }()
	for _, v := range nilp {
		fmt.Println(v)
	}
}
