package main

import "fmt"

type big struct {
	a [4]int
	s string
	m map[string]int
}

type mix struct {
	x   int
	arr [2]struct{ p, q int8 }
	in  struct {
		f float32
		b bool
		z [3]uint16
	}
}

func f(b big) big       { b.a[0]++; b.s += "f"; return b }
func g(a [3]int) [3]int { a[0], a[2] = a[2], a[0]; return a }
func two() ([2]int, big) {
	return [2]int{7, 8}, big{s: "two"}
}

type grid [3][3]int

func (g grid) sum() (s int) {
	for _, r := range g {
		for _, v := range r {
			s += v
		}
	}
	return
}
func (g *grid) set(i, j, v int) { g[i][j] = v }

type wrap struct {
	grid
	name string
}

func main() {
	x := big{a: [4]int{1, 2, 3, 4}, s: "x"}
	y := x
	y.a[1] = 20
	y = f(y)
	fmt.Println(x, y)
	x, y = y, x
	fmt.Println(x.a, y.a)
	a := [3]int{1, 2, 3}
	a = g(a)
	fmt.Println(a, g(g(a)))
	a = [3]int{a[2], a[1], a[0]}
	fmt.Println(a)
	p := &a
	p[1] = 55
	b := *p
	p[2] = 66
	fmt.Println(a, b, len(p), p[:2])
	for i, v := range a {
		a[2] = 1000
		fmt.Print(i, v, " ")
	}
	fmt.Println()
	for i, v := range &a {
		a[2] = 2000 + i
		fmt.Print(i, v, " ")
	}
	fmt.Println()
	s := [][2]int{{1, 2}, {3, 4}}
	s[0], s[1] = s[1], s[0]
	s = append(s, s[0], [2]int{9, 9})
	s[0][1] = 44
	fmt.Println(s)
	m := map[[2]int]big{}
	k := [2]int{1, 1}
	m[k] = x
	k[0] = 5
	x.a[0] = -1
	fmt.Println(m[[2]int{1, 1}].a, len(m), m[k].a)
	v, ok := m[[2]int{1, 1}]
	v.a[3] = 77
	fmt.Println(v.a, ok, m[[2]int{1, 1}].a)
	var e any = x
	x.a[1] = -2
	fmt.Println(e.(big).a, e.(big).s, e == any(1))
	z := e.(big)
	z.a[0] = 123
	fmt.Println(e.(big).a[0])
	ch := make(chan big, 2)
	ch <- z
	z.a[0] = 0
	w := <-ch
	fmt.Println(w.a[0])
	close(ch)
	w, ok = <-ch
	fmt.Println(w, ok)
	t, u := two()
	fmt.Println(t, u.s)
	var mx mix
	mx.arr[1].q = -5
	mx.in.z[2] = 65535
	mx.in.z[2]++
	mx.in.f = 1.5
	q := &mx.arr[1].q
	*q -= 124
	fmt.Println(mx, *q)
	mx2 := mx
	mx2.in.z[1] = 3
	fmt.Println(mx == mx2, mx == mx)
	fn := func() [3]int { return a }
	c := fn()
	c[0] = 31337
	fmt.Println(a, c)
	var gr grid
	gr.set(1, 2, 3)
	gs := gr.sum
	gr.set(0, 0, 100)
	fmt.Println(gr, gr.sum(), gs())
	wr := wrap{gr, "w"}
	wr.set(2, 2, 5)
	wr.grid[0][1] = 8
	fmt.Println(wr, wr.sum(), gr.sum())
	type I interface{ sum() int }
	var i I = wr
	var j I = &wr
	wr.set(2, 2, 500)
	fmt.Println(i.sum(), j.sum(), grid.sum(gr), (*grid).sum(&gr))
	arr2 := [...]string{5: "five", 2: "two"}
	fmt.Println(len(arr2), arr2)
	parr := new([3]big)
	parr[1].a[1] = 4
	parr[2] = big{s: "lit"}
	cp := *parr
	cp[1].a[1]++
	fmt.Println(parr[1].a, cp[1].a, parr[2].s)
	fs := []func(){}
	for i := 0; i < 3; i++ {
		var arr [2]int
		arr[0] = i
		fs = append(fs, func() { arr[1]++; fmt.Println(arr, i) })
	}
	for _, f := range fs {
		f()
		f()
	}
	sl := a[:]
	sl[0] = 1234
	fmt.Println(a[0], cap(a[1:2]), cap(a[1:2:2]))
	conv := [3]int(sl)
	conv[0] = 0
	fmt.Println(a[0], conv[0], *(*[2]int)(sl))
	struc := struct {
		a, b int
		c    [2]string
	}{1, 2, [2]string{"p", "q"}}
	str2 := struc
	str2.c[0] = "changed"
	fmt.Println(struc, str2, struc == str2)
	d := [2][2]int{{1, 2}, {3, 4}}
	d[0], d[1] = d[1], d[0]
	fmt.Println(d)
	d[0] = d[1]
	d[1][0] = 42
	fmt.Println(d)
	func(p [2][2]int) { p[0][0] = 999 }(d)
	fmt.Println(d)
}
