// Declarations of every kind.
package main

import (
	"errors"
	"fmt"
	str "strings"
)

const (
	A = iota
	B
	C string = "c"
	_
	D = 1 << (10 * iota)
	E, F = iota, -iota
)

const big = 1 << 100
const small = big >> 98

type (
	Celsius float64
	Names   []string
	Pair    struct {
		Left, Right int
		note        string `json:"note"`
	}
	Node struct {
		next  *Node
		value any
	}
	Op     func(a, b int) int
	Alias  = map[string][]int
	Reader interface {
		Read(p []byte) (n int, err error)
	}
	Closer     interface{ Close() error }
	ReadCloser interface {
		Reader
		Closer
	}
)

type Base struct{ id int }

func (b Base) ID() int      { return b.id }
func (b *Base) SetID(n int) { b.id = n }

type Derived struct {
	Base
	*Pair
	fmt.Stringer
}

type file struct{ open bool }

func (f *file) Read(p []byte) (int, error) { return len(p), nil }
func (f *file) Close() (err error) {
	defer func() { f.open = false }()
	if !f.open {
		err = errors.New("closed")
		return
	}
	return nil
}

var (
	x, y    = 1, "two"
	z       int
	table   = Alias{"a": {1, 2}, "b": nil}
	pairs   = []Pair{{1, 2, ""}, {Left: 3}}
	ptrs    = [...]*Pair{{Right: 1}, 3: {Left: 2}}
	_       = x + z
	rc      ReadCloser = &file{}
	nested  = map[Pair][2][]string{{1, 2, "x"}: {{"a"}, {}}}
	add Op  = func(a, b int) int { return a + b }

)

func compute(a, b int) (sum int, err error) {
	if b == 0 {
		return 0, fmt.Errorf("bad %d", b)
	}
	sum = a / b
	return
}

var sum2, err2 = compute(1, 2)

func init() { z = 3 }
func init() { y = str.ToUpper(y) }

func variadic(prefix string, rest ...int) int { return len(prefix) + len(rest) }

func shadow(x int) (y int) {
	{
		x := x + 1
		var y = x
		_ = y
	}
	if y := x; y > 0 {
		return y
	} else if z := y; z < 0 {
		return -z
	}
	return
}

func main() {
	var d Derived
	d.Pair = &Pair{}
	d.SetID(4)
	d.Left++
	fmt.Println(A, B, C, D, E, F, small, d.ID(), d.Base.id, d.Left)
	fmt.Println(variadic("a"), variadic("b", 1, 2), variadic("c", []int{1}...), shadow(2))
	n, err := rc.Read(make([]byte, 3))
	fmt.Println(n, err, rc.Close(), x, y, len(table), pairs[1].Left, ptrs[3].Left, add(1, 2))
	var local struct {
		a int
		b struct{ c string }
	}
	local.b.c = "deep"
	type inner = struct{ v int }
	v := inner{v: len(nested)}
	fmt.Println(local, v, Celsius(36.6), Names{"n"}, Node{}.next == nil, sum2, err2)
}
