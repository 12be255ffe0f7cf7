// What an inlined function chooses is returned at once: the last choice ends at a jump's target.
package main

import "fmt"

type number struct {
	neg  bool
	form byte
}

func accuracy(above bool) int8 {
	if above {
		return 1
	}
	return -1
}

func pick(n int) int {
	if n > 10 {
		return n
	}
	return n + 1
}

func (x *number) whole() bool { return x.form == 0 }

func (x *number) cut() int8 {
	if x.whole() {
		return 0
	}
	return accuracy(x.neg)
}

func twice(n int) int { return pick(n) }

func chosen(b bool) int8 { return accuracy(b) }

func main() {
	fmt.Println((&number{neg: true, form: 1}).cut(), (&number{form: 1}).cut(), (&number{}).cut())
	fmt.Println(twice(5), twice(50), chosen(true), chosen(false))
}
