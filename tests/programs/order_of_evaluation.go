package main

import "fmt"

type T struct{ n int }

func g3(a, b, c int) string { return fmt.Sprint(a, b, c) }
func two() (int, int)       { return 1, 2 }
func ret() (int, int) {
	a := 1
	f := func() int { a++; return a }
	return a, f()
}

var glob = 1

func incg() int { glob++; return glob }

func main() {
	a := 1
	f := func() int { a++; return a }
	x := []int{a, f()}
	fmt.Println("slice", x)
	a = 1
	fmt.Println("print", a, f())
	a = 1
	fmt.Println("add", a+f())
	a = 1
	fmt.Println("addcall", a+f()+a+f())
	a = 1
	fmt.Println("g3", g3(a, f(), a))
	fmt.Println(ret())
	i := 0
	arr := []int{0, 0, 0}
	inc := func() int { i++; return 7 }
	arr[i] = inc()
	fmt.Println("idx", arr)
	i = 0
	arr = []int{0, 0, 0}
	arr[i], arr[2] = inc(), i
	fmt.Println("idx2", arr)
	p := &T{1}
	setp := func() int { p.n = 5; return 1 }
	fmt.Println("field", p.n+setp())
	q := p
	setq := func() int { q = &T{100}; return 1 }
	q.n = setq()
	fmt.Println("qn", q.n, p.n)
	m := map[string]int{"a": 1}
	fm := func() int { m["a"] = 9; return 1 }
	fmt.Println("map", m["a"]+fm())
	glob = 1
	fmt.Println("glob", glob+incg(), glob*10+incg())
	s := []int{1, 2, 3}
	fs := func() int { s = []int{9, 9, 9}; return 1 }
	fmt.Println("sidx", s[0]+fs())
	s = []int{1, 2, 3}
	s[0] += func() int { s[0] = 50; return 1 }()
	fmt.Println("opassign", s)
	b := 1
	b += func() int { b = 10; return 1 }()
	fmt.Println("opassign2", b)
	st := struct{ a, b int }{a, f()}
	_ = st
	a = 1
	st = struct{ a, b int }{a, f()}
	fmt.Println("struct", st)
	a = 1
	c := a
	y, z := a, f()
	fmt.Println("decl", y, z, c)
	a = 1
	if a == f() {
		fmt.Println("eq")
	} else {
		fmt.Println("ne")
	}
	a = 1
	if a > 0 && f() == 2 && a == 2 {
		fmt.Println("and ok")
	}
	func() {
		defer func() { fmt.Println(recover()) }()
		var np *T
		fmt.Println(np.n + func() int { fmt.Println("called first"); return 1 }())
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var sl []int
		fmt.Println(sl[5] + func() int { fmt.Println("called first"); return 1 }())
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		zero := 0
		fmt.Println(1/zero + func() int { fmt.Println("called first"); return 1 }())
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var sl []int
		sl[5] = func() int { fmt.Println("called first"); return 1 }()
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var mm map[string]int
		mm["a"] = func() int { fmt.Println("called first"); return 1 }()
	}()
	func() {
		defer func() { fmt.Println(recover()) }()
		var e any = 3
		fmt.Println(e.(string) + func() string { fmt.Println("called first"); return "" }())
	}()
	str := "ab"
	fstr := func() string { str = "zz"; return "c" }
	fmt.Println("concat", str+fstr())
	var e any = 1
	fe := func() int { e = 2; return 1 }
	fmt.Println("iface", e, fe())
	fmt.Println("assert", e.(int)+func() int { e = 50; return 1 }())
	arr3 := [3]int{1, 2, 3}
	fa := func() int { arr3[0] = 99; return 1 }
	fmt.Println("arr", arr3[0]+fa(), arr3)
	arr3 = [3]int{1, 2, 3}
	fmt.Println("arr", arr3, fa())
	a = 1
	fmt.Println("recvorder", g3(a*2, f(), a*2))
	a = 1
	k := []func() int{func() int { return a * 100 }, f}
	fmt.Println(k[0]()+k[1](), -a+f())
	a = 1
	mm := map[int]int{a: f(), a + 10: f()}
	fmt.Println(mm)
	ch := make(chan int, 3)
	ch <- 1
	fmt.Println("recv", a+<-ch, len(ch))
	a = 1
	lp := &a
	fmt.Println("lp", *lp+f())
	fn := func() int { return 1 }
	ff := func(x int) int { return x }
	_ = fn
	gg := func() int { ff = func(x int) int { return x * 1000 }; return 2 }
	fmt.Println("fval", ff(gg()))
}
