package main

import "fmt"

func main() {
	x := 1
	var a float64 = 2 + 0i
	b := x << 0i
	var c int = 0i<<x + 7
	var d uint8 = (3 + 0i) << x
	e := make([]int, 2+0i)
	fmt.Println(a, b, c, d, len(e), e[0i], x<<(3.0<<x), x<<((1+0i)<<x), x<<(0i<<x), uint64(1+0i)<<x)
	const M = 1<<64 - 1
	fmt.Println(x<<(M+0), x<<(M+0.), x<<(M+0.+0i))
}
