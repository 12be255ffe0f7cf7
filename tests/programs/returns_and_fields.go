// Returns of constants and sums, tests of fields behind pointers, and structs made field by field: what the compiler fuses.
package main

import "fmt"

type list struct {
	head int
	tail *list
}

type flags struct {
	on   bool
	n    int8
	u    uint16
	f    float64
	name string
	any  interface{}
}

func seven() int           { return 7 }
func minus() int           { return -1 << 31 }
func large() int           { return 1 << 40 }
func yes() bool            { return true }
func none() *list          { return nil }
func minus8() int8         { return -8 }
func sum(a, b int) int     { return a + b }
func sum8(a, b int8) int8  { return a + b }
func sumU(a, b uint) uint  { return a + b }
func sum16(a, b uint16) uint16 { return a + b }
func cat(a, b string) string   { return a + b }
func float(a, b float64) float64 { return a + b }

func named(a, b int) (r int) {
	defer func() { r *= 10 }()
	return a + b
}

func recovered(p *list) (r int) {
	defer func() {
		if e := recover(); e != nil {
			r = -5
			fmt.Println(e)
		}
	}()
	if p.tail == nil {
		return 1
	}
	return 2
}

func length(p *list) int {
	if p.tail == nil {
		return 1
	}
	return 1 + length(p.tail)
}

func both(p, q *list) string {
	if p.tail != nil && q.tail == nil || p.head == 0 {
		return "first"
	}
	if p.head != q.head {
		return "second"
	}
	return "third"
}

func zeros(f *flags) (n int) {
	if !f.on {
		n++
	}
	if f.n == 0 {
		n += 10
	}
	if f.u == 0 {
		n += 100
	}
	if f.f == 0 {
		n += 1000
	}
	if f.name == "" {
		n += 10000
	}
	if f.any == nil {
		n += 100000
	}
	return n
}

// A field that was just stored is still read afterwards.
func kept(p *list) *list {
	var v list
	v.tail = p.tail
	if v.tail == nil {
		return &v
	}
	return v.tail
}

func push(head int, p *list) *list {
	p = &list{head, p}
	return p
}

var trace []string

func say(s string, v int) int {
	trace = append(trace, s)
	return v
}

type four struct{ a, b, c, d int }

func build(n int) *four {
	x := n * 2
	return &four{x, say("b", n), say("c", x), n}
}

// A call of this is compiled in place: what returns its value is reached from both cases.
func sign(less bool) int8 {
	if less {
		return -1
	}
	return 1
}

func compare(p, q *list) int8 {
	if p.head != q.head {
		return sign(p.head < q.head)
	}
	if p.tail != q.tail {
		return sign(p.tail == nil)
	}
	return 0
}

func main() {
	fmt.Println(compare(&list{head: 1}, &list{head: 2}), compare(&list{head: 2}, &list{head: 1}), compare(&list{}, &list{}))
	fmt.Println(compare(&list{}, &list{tail: &list{}}), compare(&list{tail: &list{}}, &list{}))
	fmt.Println(seven(), minus(), large(), yes(), none() == nil, minus8())
	fmt.Println(sum(1<<62, 1<<62), sum8(100, 100), sumU(^uint(0), 2), sum16(65535, 3), cat("a", "b"), float(0.1, 0.2))
	fmt.Println(named(3, 4))
	fmt.Println(recovered(&list{}), recovered(&list{tail: &list{}}), recovered(nil))
	var p *list
	for i := 0; i < 5; i++ {
		p = push(i, p)
	}
	fmt.Println(length(p), p.head, p.tail.head, kept(p).head, kept(&list{9, nil}).head)
	fmt.Println(both(p, &list{}), both(&list{}, p), both(&list{head: 1}, &list{head: 2}), both(&list{head: 3}, &list{head: 3}))
	negative := 0.0
	negative = -negative
	fmt.Println(zeros(&flags{}), zeros(&flags{true, -1, 1, 0.5, "x", 1}), zeros(&flags{f: negative, any: (*list)(nil)}))
	q := build(3)
	fmt.Println(*q, trace)
}
