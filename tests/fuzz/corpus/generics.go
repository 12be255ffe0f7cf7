// Type parameters in every place.
package main

import (
	"cmp"
	"fmt"
	"sort"
)

type Number interface {
	~int | ~int64 | ~float64
}

type Stringish interface {
	~string
	Len() int
}

type ID string

func (i ID) Len() int { return len(i) }

type List[T any] struct {
	head *node[T]
	n    int
}

type node[T any] struct {
	value T
	next  *node[T]
}

func (l *List[T]) Push(v T) {
	l.head = &node[T]{v, l.head}
	l.n++
}

func (l *List[T]) All() func(yield func(int, T) bool) {
	return func(yield func(int, T) bool) {
		i := 0
		for n := l.head; n != nil; n = n.next {
			if !yield(i, n.value) {
				return
			}
			i++
		}
	}
}

func (l List[T]) Map[U any](f func(T) U) []U {
	var out []U
	for _, v := range l.All() {
		out = append(out, f(v))
	}
	return out
}

type Pair[K comparable, V any] struct {
	Key K
	Val V
}

type Set[T comparable] map[T]struct{}

func (s Set[T]) Add(v T)           { s[v] = struct{}{} }
func (s Set[T]) Has(v T) (ok bool) { _, ok = s[v]; return }

type Tree[T cmp.Ordered] struct {
	left, right *Tree[T]
	val         T
}

func (t *Tree[T]) Insert(v T) *Tree[T] {
	if t == nil {
		return &Tree[T]{val: v}
	}
	switch {
	case v < t.val:
		t.left = t.left.Insert(v)
	case v > t.val:
		t.right = t.right.Insert(v)
	}
	return t
}

func Map[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}

func Sum[T Number](list ...T) (total T) {
	for _, v := range list {
		total += v
	}
	return
}

func Keys[M ~map[K]V, K cmp.Ordered, V any](m M) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	return keys
}

func Ptr[T any](v T) *T { return &v }

func Zero[T any]() (z T) { return }

func Convert[To, From Number](x From) To { return To(x) }

func Longest[S Stringish](a, b S) S {
	if a.Len() > b.Len() {
		return a
	}
	return b
}

type Scalar[T Number] struct{ v T }

func (s *Scalar[T]) Set(v T) { s.v = v }

type setter[T any] interface {
	*Scalar[int]
	Set(T)
}

func apply[P setter[T], T any](p P, v T) { p.Set(v) }

type Vec[T any] = []T

type Chain[T any] interface{ Next() Chain[T] }

func Equal[T comparable](a, b T) bool { return a == b }

func main() {
	var l List[int]
	l.Push(1)
	l.Push(2)
	fmt.Println(l.n, l.Map(func(n int) string { return fmt.Sprint(n, "!") }))
	p := Pair[string, int]{"a", 1}
	s := Set[string]{}
	s.Add(p.Key)
	fmt.Println(p, s.Has("a"), s.Has("b"))
	var t *Tree[string]
	for _, w := range []string{"m", "c", "x"} {
		t = t.Insert(w)
	}
	fmt.Println(t.val, t.left.val, t.right.val)
	fmt.Println(Map([]int{1, 2}, func(n int) float64 { return float64(n) / 2 }))
	fmt.Println(Sum(1, 2, 3), Sum(1.5, 2), Sum[int](), Keys(map[string]bool{"z": true, "y": false}))
	fmt.Println(*Ptr("x"), Zero[int](), Convert[int](2.7), Longest(ID("ab"), "c"))
	var sc Scalar[int]
	apply(&sc, 3)
	var v Vec[int] = []int{sc.v}
	f := Equal[string]
	g := (*Tree[int]).Insert
	var h func(int, int) bool = Equal
	fmt.Println(v, f("a", "a"), g(nil, 3).val, h(1, 2))
	for i, w := range l.All() {
		fmt.Println(i, w)
	}
}
