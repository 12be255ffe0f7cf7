package main

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

type A struct{ n int }

func (a A) Val() int   { return a.n }
func (a *A) Inc()      { a.n++ }
func (a A) Name() string { return "A" }

type B struct {
	A
	s string
}

func (b B) Name() string { return "B+" + b.A.Name() }

type Cc struct {
	*B
	arr [3]int
}
type D struct {
	Cc
	fmt.Stringer
}
type str string

func (s str) String() string { return "str:" + string(s) }

type Namer interface{ Name() string }
type Incer interface {
	Inc()
	Val() int
}
type Both interface {
	Namer
	Incer
}

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type errT struct{ code int }

func (e errT) Error() string        { return fmt.Sprint("err", e.code) }
func (e errT) Is(target error) bool { return target == errBase }

var errBase = errors.New("base")

type List[T any] struct {
	head *elem[T]
	n    int
}
type elem[T any] struct {
	v    T
	next *elem[T]
}

func (l *List[T]) Push(v T) { l.head = &elem[T]{v, l.head}; l.n++ }
func (l *List[T]) Each(f func(int, T) bool) {
	i := 0
	for e := l.head; e != nil; e = e.next {
		if !f(i, e.v) {
			return
		}
		i++
	}
}
func Reduce[T, A any](l *List[T], a A, f func(A, T) A) A {
	for _, v := range l.Each {
		a = f(a, v)
	}
	return a
}

type Set[K comparable] map[K]struct{}

func (s Set[K]) Add(k K) bool { _, ok := s[k]; s[k] = struct{}{}; return !ok }

type fnT func(int) int

func (f fnT) Twice(x int) int { return f(f(x)) }

type tree struct {
	l, r *tree
	v    int
}

func (t *tree) ins(v int) *tree {
	switch {
	case t == nil:
		return &tree{v: v}
	case v < t.v:
		t.l = t.l.ins(v)
	default:
		t.r = t.r.ins(v)
	}
	return t
}
func (t *tree) walk(yield func(int) bool) bool {
	return t == nil || t.l.walk(yield) && yield(t.v) && t.r.walk(yield)
}

func main() {
	d := D{Cc{&B{A{1}, "x"}, [3]int{1, 2, 3}}, str("q")}
	d.Inc()
	fmt.Println(d.Val(), d.Name(), d.n, d.s, d.String(), d.arr)
	var b Both = d
	b.Inc()
	fmt.Println(b.Val(), b.Name(), d.Val())
	var b2 Both = &d
	b2.Inc()
	fmt.Println(b2.Val(), b2.(Namer).Name())
	f, g, h := d.Inc, B.Name, (*B).Inc
	f()
	h(d.B)
	fmt.Println(d.Val(), g(*d.B), (*A).Val(&d.A), Incer.Val(b2))
	bb := B{A{5}, "y"}
	var n Namer = bb
	bb.n = 6
	fmt.Println(n.(B).n, bb.n, n == Namer(B{A{5}, "y"}))
	w := strings.Fields("the quick brown fox jumps over a lazy dog")
	sort.Sort(byLen(w))
	fmt.Println(len(w[0]), len(w[len(w)-1]), sort.IsSorted(byLen(w)))
	e := fmt.Errorf("x: %w", errT{3})
	var et errT
	fmt.Println(errors.Is(e, errBase), errors.As(e, &et), et.code, errors.Unwrap(e) == errT{3})
	var l List[string]
	for _, s := range w {
		l.Push(s)
	}
	fmt.Println(l.n, Reduce(&l, 0, func(a int, s string) int { return a + len(s) }))
	for i, s := range l.Each {
		if i == 2 {
			break
		}
		_ = s
	}
	s := Set[[2]int]{}
	fmt.Println(s.Add([2]int{1, 2}), s.Add([2]int{1, 2}), len(s))
	fmt.Println(fnT(func(x int) int { return x * 3 }).Twice(2))
	var t *tree
	for _, v := range []int{5, 2, 8, 1, 9, 3} {
		t = t.ins(v)
	}
	t.walk(func(v int) bool { fmt.Print(v, " "); return v < 8 })
	fmt.Println()
	for v := range func(y func(int) bool) { t.walk(y) } {
		if v > 4 {
			break
		}
		fmt.Print(v, ",")
	}
	fmt.Println()
	type pair struct {
		a any
		b []int
	}
	defer func() { fmt.Println(recover()) }()
	fmt.Println(any(pair{1, nil}) == any(pair{1, nil}))
}
