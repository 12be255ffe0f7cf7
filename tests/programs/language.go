package main

import (
	"fmt"
	"math"
	"strings"
)

type Shape interface {
	Area() float64
	Perimeter() float64
}
type Sq struct{ s float64 }
type Ci struct{ r float64 }

func (s Sq) Area() float64       { return s.s * s.s }
func (s Sq) Perimeter() float64  { return 4 * s.s }
func (c *Ci) Area() float64      { return math.Pi * c.r * c.r }
func (c *Ci) Perimeter() float64 { return 2 * math.Pi * c.r }

type Named struct {
	Shape
	*Inner
	name string
}
type Inner struct{ id int }

func (i Inner) ID() int     { return i.id }
func (i *Inner) Set(n int)  { i.id = n }
func (i Inner) String() string { return fmt.Sprintf("Inner(%d)", i.id) }

type Num interface{ ~int | ~float64 | ~int8 }

func Sum[T Num](xs ...T) (s T) {
	for _, x := range xs {
		s += x
	}
	return
}

func Map[T, U any](xs []T, f func(T) U) []U {
	r := make([]U, 0, len(xs))
	for _, x := range xs {
		r = append(r, f(x))
	}
	return r
}

type Stack[T any] struct{ items []T }

func (s *Stack[T]) Push(x T) { s.items = append(s.items, x) }
func (s *Stack[T]) Pop() (x T, ok bool) {
	if len(s.items) == 0 {
		return
	}
	x = s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	return x, true
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

func classify(x any) string {
	switch v := x.(type) {
	case nil:
		return "nil"
	case int, int8:
		return fmt.Sprintf("int-ish %v", v)
	case string:
		return "string " + v
	case []int:
		return fmt.Sprint("slice ", len(v))
	case error:
		return "error " + v.Error()
	case fmt.Stringer:
		return "stringer " + v.String()
	case func() int:
		return fmt.Sprint("func ", v())
	case [3]int:
		return fmt.Sprint("array ", v[1])
	case struct{ x int }:
		return fmt.Sprint("struct ", v.x)
	case map[string]int:
		return fmt.Sprint("map ", v["a"])
	default:
		return fmt.Sprintf("other %T", v)
	}
}

func sw(n int) string {
	switch {
	case n < 0:
		return "neg"
	case n == 0:
		fallthrough
	case n == 1:
		return "01"
	}
	switch n {
	case 2, 3, 5, 7, 11, 13:
		return "prime"
	case 4, 8, 16:
		return "pow2"
	case 100:
		return "hundred"
	default:
		return "other"
	}
}

func narrow() {
	var a int8 = 127
	a++
	var b uint8 = 0
	b--
	var c int16 = -32768
	c = -c
	var d uint32 = 1 << 31
	d <<= 1
	var e int32 = math.MinInt32
	e /= -1
	fmt.Println(a, b, c, d, e, a>>1, b>>1, a/3, a%5, -a, ^a, ^b)
	var f float32 = 16777216
	f += 1
	fmt.Println(f, float32(0.1), float64(float32(0.1)), int8(a), uint16(a), int64(a), uint64(a))
	x := -7
	fmt.Println(x/2, x%2, x>>1, uint8(x), x&3, x|8, x^5, x&^2)
	var s uint = 70
	fmt.Println(1<<s == 0, x>>s, uint8(200)>>s, int8(-5)>>s)
	fmt.Println(min(3, 1, 2), max(2.5, 1), min("b", "a"), max(a, -a))
	var i8 int8 = -5
	fmt.Println(i8 < 3, i8 == -5, i8 != -6, i8*i8, i8<<2)
	u := uint8(250)
	u += 10
	fmt.Println(u, u*100, u-20)
	h := uint32(2166136261)
	for _, c := range []byte("hello") {
		h ^= uint32(c)
		h *= 16777619
	}
	fmt.Println(h, h<<5|h>>27, uint64(h)<<40|uint64(h)>>24)
	ff := 3.99
	fmt.Println(int(ff), int(-ff), uint8(ff), math.Sqrt(2), math.Floor(-1.5), math.Abs(-2))
	var cc complex128 = complex(1, 2)
	cc *= cc
	cc += 1
	fmt.Println(cc, real(cc), imag(cc), cc == complex(-2, 4), -cc, cc/complex(0, 1))
	c64 := complex64(cc)
	fmt.Println(c64*c64, c64 != 0)
	var nan = math.NaN()
	fmt.Println(nan == nan, nan < 1, nan > 1, !(nan < 1), nan != nan)
	if !(nan < 1) {
		fmt.Println("nan branch")
	}
	for nan < 1 {
	}
}

func strs() {
	s := "héllo, 世界\xff!"
	for i, r := range s {
		fmt.Print(i, ":", string(r), " ")
	}
	fmt.Println(len(s), s[1], s[1:3], []byte(s)[:3], []rune(s)[1], string([]rune{19990, 65}))
	b := []byte("abc")
	t := string(b)
	b[0] = 'z'
	fmt.Println(t, string(b), s < t, s >= "h", strings.Repeat("ab", 3))
	x := ""
	for i := range 5 {
		x += string(rune('a' + i))
		x = x + "-" + x
		if len(x) > 20 {
			break
		}
	}
	fmt.Println(x)
	var sb strings.Builder
	for i := 3; i > 0; i-- {
		fmt.Fprintf(&sb, "%d,", i)
	}
	fmt.Println(sb.String(), len(string(rune(-1))))
}

func maps() {
	m := map[string][]int{}
	for i := range 10 {
		k := string(rune('a' + i%3))
		m[k] = append(m[k], i)
	}
	fmt.Println(m, len(m))
	delete(m, "a")
	_, ok := m["a"]
	fmt.Println(ok, m["zz"] == nil)
	type key struct {
		a int
		b string
	}
	mk := map[key]int{{1, "a"}: 5}
	mk[key{1, "a"}]++
	mk[key{2, "b"}] += 7
	fmt.Println(mk)
	n := 0
	for k, v := range mk {
		n += k.a * v
		delete(mk, k)
	}
	fmt.Println(n, len(mk))
	mm := map[any]string{1: "int", "a": "str", 2.5: "fl", [2]int{1, 2}: "arr", key{1, "x"}: "key"}
	fmt.Println(mm[1], mm["a"], mm[2.5], mm[[2]int{1, 2}], mm[key{1, "x"}], mm[int8(1)] == "")
	clear(mm)
	fmt.Println(len(mm))
	var nm map[string]int
	fmt.Println(nm["x"], len(nm))
	for range nm {
	}
	ms := map[string]struct{}{"a": {}}
	_, ok = ms["a"]
	fmt.Println(ok, len(ms))
	mf := map[string]func(int) int{"dbl": func(x int) int { return x * 2 }}
	fmt.Println(mf["dbl"](4))
}

func gotos() {
	i := 0
loop:
	if i < 3 {
		fmt.Print(i, " ")
		i++
		goto loop
	}
	fmt.Println()
outer:
	for a := 0; a < 3; a++ {
		for b := 0; ; b++ {
			switch {
			case b == 2:
				continue outer
			case a == 2:
				break outer
			}
			fmt.Print(a, b, ";")
		}
	}
	fmt.Println()
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		fmt.Print(i, j, " ")
	}
	fmt.Println()
}

func consts() {
	const big = 1 << 100
	fmt.Println(big>>98, math.MaxUint64/3 == uint64(6148914691236517205), 'a'+1, "c"+"d")
	type D int
	const (
		A D = iota * 10
		B
		C
	)
	fmt.Println(A, B, C, uint64(math.MaxUint64), int64(math.MinInt64))
}

func methodvals() {
	c := &Ci{2}
	f := c.Area
	c.r = 3
	g := (*Ci).Area
	h := Sq.Area
	k := Shape.Area
	fmt.Printf("%.3f %.3f %.3f %.3f\n", f(), g(c), h(Sq{5}), k(Sq{6}))
	n := Named{Sq{2}, &Inner{7}, "n"}
	n.Set(8)
	fmt.Println(n.ID(), n.Area(), n.Inner.id, n.String())
	var ider interface{ ID() int } = n
	st := n.Set
	st(99)
	fmt.Println(ider.ID(), n)
	var sh Shape = n
	fmt.Println(sh.Perimeter(), sh.(Named).name)
	if _, ok := sh.(interface{ Foo() }); !ok {
		fmt.Println("no Foo")
	}
	fs := map[string]func() float64{"a": sh.Area, "b": n.Perimeter}
	fmt.Println(fs["a"](), fs["b"]())
}

func main() {
	for _, x := range []any{nil, 1, int8(2), "s", []int{1}, fmt.Errorf("e"), Inner{3}, &Inner{4}, func() int { return 5 }, [3]int{1, 2, 3}, struct{ x int }{6}, map[string]int{"a": 7}, 3.5, Sq{1}} {
		fmt.Println(classify(x))
	}
	for _, n := range []int{-1, 0, 1, 2, 4, 13, 16, 100, 50} {
		fmt.Print(sw(n), " ")
	}
	fmt.Println()
	narrow()
	strs()
	maps()
	gotos()
	consts()
	methodvals()
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[int8](100, 27, 1), Sum[int]())
	fmt.Println(Map([]int{1, 2, 3}, func(i int) string { return strings.Repeat("x", i) }))
	var st Stack[Pair[string, [2]int]]
	st.Push(Pair[string, [2]int]{"a", [2]int{1, 2}})
	st.Push(Pair[string, [2]int]{"b", [2]int{3, 4}})
	p, ok := st.Pop()
	fmt.Println(p, ok, len(st.items))
	fmt.Printf("%T %v %+v\n", p, p, p)
	st.Pop()
	p, ok = st.Pop()
	fmt.Println(p, ok)
}
