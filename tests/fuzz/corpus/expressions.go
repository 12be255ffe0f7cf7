// Expressions of every kind.
package main

import (
	"fmt"
	"unsafe"
)

type point struct{ x, y int }

func (p point) add(q point) point { return point{p.x + q.x, p.y + q.y} }
func (p *point) move(dx, dy int)  { p.x, p.y = p.x+dx, p.y+dy }

type temp float32
type bits uint8
type text string
type fn func(int) fn

func two() (int, string)          { return 1, "a" }
func take(n int, s string) string { return fmt.Sprint(n, s) }
func curry(a int) func(int) int   { return func(b int) int { return a - b } }

const (
	huge    = 1 << 62
	ratio   = 22 / 7.0
	letter  = 'a' + 1
	word    = "con" + "cat"
	truth   = 1 < 2 && !false
	cplx    = 2 + 3i
	rounded = uint8(255)
)

func numbers(a, b int, u uint8, f float64) {
	fmt.Println(a+b*2-a/3%4, a&b|a^b&^1, a<<u>>1, -a, ^b, +a)
	fmt.Println(f*2.5, float32(f)/3, int(f), uint8(a), string(rune(letter)), f == float64(int(f)))
	fmt.Println(u+1, u<<7, ^u, u&^3, bits(u)|1, temp(f)+1.5)
	var c complex128 = complex(f, 2)
	fmt.Println(real(c), imag(c), c*cplx, c == 0)
	fmt.Println(min(a, b, 3), max(f, 2), a == b || a > b && !(a <= b), 0x1p-2, 0b101, 0o17, 1_000)
}

func containers(list []int, m map[string][]int, arr [4]int, s string, p *point) {
	fmt.Println(list[1:], list[:1], list[0:1:2], arr[1:3:4], s[1:], s[0], len(arr), cap(list), len(s))
	m["a"] = append(m["a"], list...)
	v, ok := m["b"]
	fmt.Println(v, ok, m["a"][0], len(m), p.x, (*p).y, &p.x != nil)
	copy(list, arr[:])
	copy([]byte{1, 2}, s)
	delete(m, "a")
	clear(list)
	b := []byte(s)
	r := []rune(s)
	fmt.Println(string(b), string(r), append([]byte("x"), s...), [2]int(list[:2]), *(*[1]int)(list))
	fmt.Println([]int{5: 1, 2, 1: 7}, [...]string{2: "c"}, map[point]string{{1, 2}: "p"}, *[]*point{{3, 4}}[0])
}

func functions() {
	fmt.Println(take(two()), curry(5)(3), func(xs ...int) int { return len(xs) }(1, 2))
	p := point{1, 2}
	add := p.add
	move := (*point).move
	plus := point.add
	move(&p, 1, 1)
	fmt.Println(add(point{1, 1}), plus(p, p), p)
	var f fn
	f = func(n int) fn { return f }
	_ = f(1)(2)
	var i interface{ add(point) point } = p
	q, ok := i.(point)
	fmt.Println(i.add(q), ok, i == any(p), i != nil)
	defer fmt.Println("deferred", recover())
	n := new(int)
	*n++
	m := new(3 + *n)
	fmt.Println(*n, *m, unsafe.Sizeof(p), unsafe.Sizeof(""), uintptr(3))
}

func shifts(n uint, s int) {
	var a int64 = 1 << n
	var b = uint32(1)<<s + 1
	var f float64 = 1 << 3
	c := 1.0 << 2
	fmt.Println(a, b, f, c, huge>>n, ratio, word, truth, rounded, text("t")+"u")
}

func main() {
	numbers(7, 3, 2, 1.5)
	containers([]int{1, 2, 3}, map[string][]int{}, [4]int{9, 8, 7, 6}, "héllo", &point{1, 2})
	functions()
	shifts(3, 2)
	ch := make(chan (<-chan int), 1)
	in := make(chan int, 1)
	in <- 5
	ch <- in
	fmt.Println(<-<-ch, len(ch), cap(in))
	var e error
	var x any = e
	fmt.Println(x == nil, e == nil, struct{ a, b int }{1, 2} == struct{ a, b int }{1, 2})
	print()
}
