package main

import "fmt"

type T struct{ n int }

func (t T) m(a, b int) { fmt.Println("m", t.n, a, b) }
func two() (int, int)  { fmt.Println("two"); return 3, 4 }
func pr(a ...int)      { fmt.Println("pr", a) }

type I interface{ m(a, b int) }

func main() {
	defer T{1}.m(two())
	var i I = T{2}
	defer i.m(two())
	defer fmt.Println(two())
	defer pr(two())
	f := func(a, b int) { fmt.Println("f", a, b) }
	defer f(two())
	c := make(chan int)
	go func(a, b int) { c <- a * b }(two())
	fmt.Println(<-c)

	go close(func() chan int { return c }())
	<-c
	for k := range func(y func(int, int) bool) { y(two()) } {
		defer pr(two())
		defer T{k}.m(two())
	}
	if x, y := two(); x < y {
		defer println("err")
	}
	fmt.Println("end")
}
