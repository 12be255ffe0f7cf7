package main

import "fmt"

var A, B any = []int{1}, []int{1}
var N = -1
var X [3]int

func say(s string) int { fmt.Println(s); return 1 }

func try(f func()) {
	defer func() { fmt.Println(recover()) }()
	f()
}

func show(args ...bool) {}
func two(a any, b int)   {}
func bits(a, b int)      {}

func main() {
	try(func() { show(A == B, say("comparison") == 1) })
	try(func() { two(A == B, say("comparison in an interface")) })
	try(func() { bits(1<<N, say("shift")) })
	try(func() { two(1<<N, say("shift in an interface")) })
	try(func() { bits(X[N+say("index")], say("after the index")) })
	try(func() { bits(X[N], say("array")) })
	try(func() { bits(int("abc"[N]), say("string")) })
	try(func() { two("abc"[N], say("string in an interface")) })
	try(func() { bits(7/(N+1), say("division")) })
	try(func() { two(uint8(7/(N+1)), say("division in an interface")) })
	try(func() { two([1]int{7 / (N + 1)}, say("array of a division in an interface")) })
	try(func() { bits((*[1]int)([]int{})[0], say("conversion")) })
	try(func() { bits(A.(int), say("assertion")) })
}
