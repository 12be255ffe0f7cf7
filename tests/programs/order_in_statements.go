package main

import "fmt"

var G = 5
var H = "abc"

func set(n int) int {
	G = n
	H = H + "x"
	if n > 100 {
		panic(n)
	}
	return n
}
func str(a, b int) string              { return fmt.Sprint(a, b) }
func list(a, b int) []int              { return []int{a, b} }
func ch(a, b int) chan int             { c := make(chan int, 2); c <- a; c <- b; close(c); return c }
func it(a, b int) func(func(int) bool) { return func(y func(int) bool) { _ = y(a) && y(b) } }
func pick(c bool, a, b int) int {
	if c {
		return a
	}
	return b
}
func pickg[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func main() {
	for _, r := range str(G, set(6)) {
		fmt.Print(r, " ")
	}
	for _, r := range list(G, set(7)) {
		fmt.Print(r, " ")
	}
	for r := range ch(G, set(8)) {
		fmt.Print(r, " ")
	}
	for r := range it(G, set(9)) {
		fmt.Print(r, " ")
	}
	for r := range pick(true, G, set(3)) {
		fmt.Print(r, " ")
	}
	fmt.Println()
	if list(G, set(10))[0] == 10 {
		fmt.Println("late")
	}
	switch list(G, set(11))[0] {
	case 11:
		fmt.Println("late")
	}
	switch any(list(G, set(12))[0]).(type) {
	case int:
		fmt.Println("t")
	}
	switch x := any(list(G, set(13))[0]).(type) {
	case int:
		fmt.Println(x)
	}
	d := make(chan int, 9)
	d <- pick(true, G, set(14))
	fmt.Println(<-d)
	select {
	case d <- pick(true, G, set(15)):
	default:
	}
	fmt.Println(<-d)
	go func(a, b int) { d <- a; d <- b }(pick(true, G, set(16)), set(17))
	fmt.Println(<-d, <-d)
	go func(a, b int) { d <- a; d <- b }(G, set(18))
	fmt.Println(<-d, <-d)
	go func(a, b int) { d <- a; d <- b }(46&^G, set(19))
	fmt.Println(<-d, <-d)
	go func(a, b int) { d <- a; d <- b }(set(20), 46&^G)
	fmt.Println(<-d, <-d)
	go func(a, b int) { d <- a; d <- b }(pickg(false, 46&^G, 2), set(21))
	fmt.Println(<-d, <-d)
	go func(a, b int) { d <- a; d <- b }(pickg(true, 46&^G, 2), set(22))
	fmt.Println(<-d, <-d)
	func() { defer func(a, b int) { fmt.Println(a, b) }(pickg(true, 46&^G, 2), set(23)) }()
	func() { defer func(a, b int) { fmt.Println(a, b) }(46&^G, set(24)) }()
	func() { defer fmt.Println(46&^G, set(25)) }()
	fmt.Println(46&^G, set(26), G+1)
	a, b := G, set(27)
	fmt.Println(a, b)
	a, b = G+1, set(28)
	fmt.Println(a, b)
	var e, f = G + 1, set(29)
	fmt.Println(e, f)
	func() (int, int) { return G, set(30) }()
	fmt.Println(func() (int, int) { return G, set(30) }())
	for i := pick(true, G, set(2)); i < pick(true, G, set(3)); i += pick(true, G, set(1)) {
		fmt.Print(i, " ")
	}
	m := map[int]int{}
	m[G] += set(31)
	m[G], m[set(32)] = G, set(33)
	fmt.Println(m)
	x := []int{1, 2, 3}
	x[pick(true, G%3, set(2)-1)] = G
	fmt.Println(x)
	x[G%3]++
	x = append(x, G, set(34), G)
	fmt.Println(x, [...]int{G, set(35), G}, []int{G, set(36)}, map[int]int{G: set(37)}, struct{ a, b int }{G, set(38)})
	fmt.Println(pick(true, G, set(39))+G+set(40), len(H), len(H)+set(41), H+fmt.Sprint(set(42))+H)
	var p *int
	func() { defer func() { fmt.Println(recover()) }(); fmt.Println(*p, set(101)) }()
	func() { defer func() { fmt.Println(recover()) }(); fmt.Println(x[G], set(102)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = 0; fmt.Println(1/G, set(103)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = 90; fmt.Println(H[G], set(104)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = 90; fmt.Println(H[G:], set(105)) }()
	func() { defer func() { fmt.Println(recover()) }(); var e any; fmt.Println(e.(int), set(106)) }()
	func() { defer func() { fmt.Println(recover()) }(); var e map[string]int; e["a"] = set(107) }()
	func() {
		defer func() { fmt.Println(recover()) }()
		var e any = x
		m := map[any]int{}
		fmt.Println(m[e], set(108))
	}()
	func() { defer func() { fmt.Println(recover()) }(); G = 77; fmt.Println([2]int(x[:1]), set(109)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = 77; x[G] = set(109) }()
	func() { defer func() { fmt.Println(recover()) }(); *p = set(110) }()
	func() { defer func() { fmt.Println(recover()) }(); var f func(int); f(set(111)) }()
	func() { defer func() { fmt.Println(recover()) }(); var f func(int); go f(set(112)) }()
	func() { defer func() { fmt.Println(recover()) }(); var f fmt.Stringer; f.String() }()
	func() { defer func() { fmt.Println(recover()) }(); var e, g any = x, x; fmt.Println(e == g, set(113)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = -1; fmt.Println(make([]int, G), set(114)) }()
	func() { defer func() { fmt.Println(recover()) }(); G = -1; fmt.Println(1<<G, set(115)) }()
}
