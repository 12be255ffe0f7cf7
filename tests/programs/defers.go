package main

import (
	"errors"
	"fmt"
	"os"
)

type T struct{ n int }

func (t T) val(s string)  { fmt.Println("val", t.n, s) }
func (t *T) ptr(s string) { fmt.Println("ptr", t.n, s) }

type I interface{ val(string) }

func results() (x int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
			x *= 2
		}
	}()
	x = 21
	var m map[string]int
	m["a"] = 1
	return 5, nil
}

func order() {
	for i := 0; i < 3; i++ {
		defer fmt.Println("d", i)
	}
	t := T{1}
	defer t.val("by value")
	defer t.ptr("by pointer")
	var i I = t
	defer i.val("iface")
	t.n = 2
	f := t.val
	g := t.ptr
	t.n = 3
	f("mv")
	g("mp")
	defer func(a, b int) { fmt.Println("args", a, b, t.n) }(t.n, t.n*2)
	t.n = 4
	defer close(make(chan int))
	m := map[int]int{1: 2, 3: 4}
	defer func() { fmt.Println(m) }()
	defer delete(m, 1)
	defer print("")
	defer println()
	arr := [3]int{1, 2, 3}
	defer fmt.Println(arr)
	arr[0] = 100
	defer func(a [3]int) { fmt.Println(a) }(arr)
	arr[1] = 200
}

func nested() (s string) {
	defer func() {
		s += fmt.Sprint(" outer:", recover())
	}()
	defer func() {
		defer func() {
			s += fmt.Sprint(" inner:", recover())
		}()
		panic("second")
	}()
	panic("first")
}

func repanic() {
	defer func() { fmt.Println("got", recover()) }()
	defer func() {
		r := recover()
		panic(fmt.Sprint("re-", r))
	}()
	panic("one")
}

func noRecover() {
	defer func() { fmt.Println("outer", recover()) }()
	defer recover()
	panic("x")
}

func helper() any { return recover() }

func indirect() {
	defer func() { fmt.Println("direct", recover()) }()
	defer func() { fmt.Println("indirect", helper()) }()
	panic("y")
}

type E struct{ code int }

func (e *E) Error() string { return fmt.Sprint("E", e.code) }

func errs() error {
	return fmt.Errorf("wrap: %w", &E{42})
}

func ret3() (a, b int, c string) {
	a, b, c = 1, 2, "c"
	defer func() { a++; b *= 10; c += "!" }()
	return b, a, c + c
}

func nilfunc() {
	defer func() { fmt.Println(recover()) }()
	var f func()
	defer f()
	fmt.Println("before nil defer")
}

func bigret() (r [4]int) {
	defer func() { r[0] = 99 }()
	x := [4]int{1, 2, 3, 4}
	return x
}

func loopdefer() (n int) {
	for i := 0; i < 1000; i++ {
		defer func() { n += i }()
	}
	return 7
}

func main() {
	fmt.Println(results())
	order()
	fmt.Println(nested())
	repanic()
	noRecover()
	indirect()
	err := errs()
	var e *E
	fmt.Println(err, errors.As(err, &e), e.code)
	fmt.Println(ret3())
	nilfunc()
	fmt.Println(bigret())
	fmt.Println(loopdefer())
	func() {
		defer func() {
			r := recover()
			err, ok := r.(error)
			fmt.Println(ok, err)
		}()
		var a []int
		_ = a[len(os.Args)+3]
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var i any = "str"
		_ = i.(int)
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var p *T
		p.val("x")
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var i I
		i.val("x")
	}()
}
