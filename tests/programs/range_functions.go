package main

import "fmt"

func seq(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n; i++ {
			if !yield(i) {
				fmt.Println("stopped at", i)
				return
			}
		}
		fmt.Println("done", n)
	}
}

func seq2(n int) func(func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, fmt.Sprint("s", i)) {
				return
			}
		}
	}
}

func find(n int) (r int, s string) {
	defer func() { fmt.Println("find deferred", r, s) }()
	for i, x := range seq2(10) {
		defer fmt.Println("loop defer", i)
		if i == n {
			return i * 100, x
		}
	}
	return -1, "none"
}

func find2(n int) int {
	for i := range seq(10) {
		for j := range seq(10) {
			if i*10+j == n {
				return i*1000 + j
			}
		}
	}
	return -1
}

func labels() {
outer:
	for i := range seq(4) {
		for j := range seq(4) {
			if j == 2 {
				continue outer
			}
			if i == 2 {
				break outer
			}
			fmt.Println("ij", i, j)
		}
	}
	fmt.Println("after")
	for i := range seq(3) {
		for k := 0; k < 5; k++ {
			if k == 1 {
				continue
			}
			if k == 3 {
				break
			}
			fmt.Println(i, k)
		}
		if i == 1 {
			goto end
		}
	}
end:
	fmt.Println("end")
}

func bad(yield func(int) bool) {
	yield(1)
	yield(2)
}

func try(name string, f func()) {
	defer func() { fmt.Println(name, "->", recover()) }()
	f()
}

func swallow(yield func(int) bool) {
	defer func() { recover() }()
	yield(1)
}

var saved func(int) bool

func keep(yield func(int) bool) { saved = yield; yield(1) }

type list[T any] struct {
	v    T
	next *list[T]
}

func (l *list[T]) all() func(func(T) bool) {
	return func(yield func(T) bool) {
		for ; l != nil; l = l.next {
			if !yield(l.v) {
				return
			}
		}
	}
}

func noresult(n int) {
	for i := range seq(n) {
		if i == 1 {
			return
		}
	}
	fmt.Println("not reached for >1")
}

func zero(n int) {
	for range n {
		fmt.Print("x")
	}
	for range seq(2) {
		fmt.Print("y")
	}
	fmt.Println()
}

func multi() (a int, b string, c [3]int) {
	for i := range seq(5) {
		if i == 3 {
			return i, "three", [3]int{1, 2, i}
		}
	}
	return
}

func closures() {
	var fs []func() int
	sum := 0
	for i := range seq(3) {
		fs = append(fs, func() int { sum += i; return i })
	}
	for _, f := range fs {
		fmt.Println(f(), sum)
	}
}

func selectIn() int {
	ch := make(chan int, 1)
	for i := range seq(5) {
		ch <- i
		select {
		case v := <-ch:
			if v == 2 {
				return v
			}
			continue
		default:
		}
		switch i {
		case 1:
			break
		}
	}
	return 0
}

func main() {
	fmt.Println(find(3))
	fmt.Println(find(30))
	fmt.Println(find2(23))
	labels()
	try("bad", func() {
		for x := range bad {
			fmt.Println(x)
			break
		}
	})
	try("panic", func() {
		for x := range seq(3) {
			panic(fmt.Sprint("boom", x))
		}
	})
	try("swallow", func() {
		for range swallow {
			panic("lost")
		}
	})
	try("late", func() {
		for range keep {
		}
		saved(2)
	})
	l := &list[string]{"a", &list[string]{"b", nil}}
	for s := range l.all() {
		fmt.Println(s)
	}
	noresult(5)
	noresult(1)
	zero(3)
	fmt.Println(multi())
	closures()
	fmt.Println(selectIn())
}
