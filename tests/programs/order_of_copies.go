package main

import "fmt"

var G = 5
var B byte = 1
var T bool = true
var P *int = new(int)
var P2 = P
var F = 1.5
var S struct{ a, b int }
var S1 struct{ a int }
var M = map[int]int{1: 1}
var E error
var A any = 5
var SL = []int{1}
var ST = "a"
var I32 int32 = 1
var I8 int8 = 1
var AR [1]int
var C complex128
var X [4]int
var CH chan int

func set() int {
	G, B, T, P, F, S.a, S1.a, M, A, SL, ST, I32, I8, AR[0], C, X[1] = 6, 2, false, nil, 2.5, 4, 4, nil, 7, []int{9, 9}, "b", 2, 2, 9, 1, 5
	CH = make(chan int)
	return 0
}
func reset() {
	G, B, T, P, F, S.a, S1.a, M, A, SL, ST, I32, I8, AR[0], C, X[1] = 5, 1, true, P2, 1.5, 1, 1, map[int]int{1: 1}, 5, []int{1}, "a", 1, 1, 1, 0, 1
	CH = nil
}
func two[T any](x T, n int) { fmt.Print(x, " "); reset() }

func main() {
	fmt.Println(G, set())
	reset()
	fmt.Println(B, set())
	reset()
	fmt.Println(T, set())
	reset()
	fmt.Println(P == nil, set())
	reset()
	fmt.Println([]any{P, set()}[0] == any((*int)(nil)))
	reset()
	fmt.Println(F, set())
	reset()
	fmt.Println(S, set())
	reset()
	fmt.Println(S1, set())
	reset()
	fmt.Println(M, set())
	reset()
	fmt.Println(A, set())
	reset()
	fmt.Println(SL, set())
	reset()
	fmt.Println(ST, set())
	reset()
	fmt.Println(I32, set())
	reset()
	fmt.Println(I8, set())
	reset()
	fmt.Println(AR, set())
	reset()
	fmt.Println(C, set())
	reset()
	fmt.Println(X[1], set())
	reset()
	fmt.Println(X, set())
	reset()
	fmt.Println(CH == nil, set())
	reset()
	fmt.Println([]any{CH, set()}[0] == any((chan int)(nil)))
	reset()
	fmt.Println(M[1], set())
	reset()
	fmt.Println(ST+"x", set())
	reset()
	fmt.Println(ST[0], set())
	reset()
	fmt.Println(string(ST[0]), set())
	reset()
	fmt.Println([]byte(ST), set())
	reset()
	fmt.Println(-G, set())
	reset()
	fmt.Println(G == 5, set())
	reset()
	fmt.Println(ST == "a", set())
	reset()
	fmt.Println(S == struct{ a, b int }{1, 0}, set())
	reset()
	fmt.Println(T && G == 5, set())
	reset()
	fmt.Println(float64(G), set())
	reset()
	fmt.Println(min(G, 9), set())
	reset()
	fmt.Println(len(SL), set())
	reset()
	fmt.Println(&P == nil, set())
	reset()
	two(G, set())
	two(B, set())
	two(T, set())
	two(S, set())
	two(AR, set())
	two(ST[0], set())
	two(ST[:1], set())
	two(min(G, 9), set())
	two(max(ST, ""), set())
	two(G == 5, set())
	two(T && G == 5, set())
	two(A.(int), set())
	two(M[1], set())
	two(A == 5, set())
	two(S == struct{ a, b int }{1, 0}, set())
	two([]byte(ST), set())

	two(string([]byte(ST)), set())
	two([]rune(ST), set())
	two(string(rune(G)), set())
	two([1]int(SL), set())
	two((*[1]int)(SL)[0], set())
	two(struct{ a, b int }{G, G}, set())
	two([2]int{G, G}, set())
	two([]int{G, G}, set())
	two(map[int]int{G: G}, set())
	two(func() int { return G }(), set())
	two(error(nil), set())
	two(any(G), set())
	two(any(S), set())
	two(any(B), set())
	two(uint8(G), set())
	two(complex(F, F), set())
	two(real(C), set())
	two(append(SL, 5), set())
	two(len(ST), set())
	two(cap(SL), set())
	two(<-func() chan int { c := make(chan int, 1); c <- G; return c }(), set())
}
