package main

import "fmt"

type pair struct {
	a [3]byte
	b [5]byte
}

func main() {
	b := []byte("0123456789abcdefghij")
	p := (*[3]byte)(b[1:])
	*p = [3]byte{'x', 'y', 'z'}
	fmt.Println(string(b))
	q := (*[8]byte)(b[5:])
	*q = [8]byte([]byte("ABCDEFGH"))
	fmt.Println(string(b), *p, *q)
	*p = *(*[3]byte)(b[17:])
	fmt.Println(string(b), string(p[:]))
	a := [3]byte(b[17:])
	c := [9]byte(b[11:])
	fmt.Println(a, c, a == [3]byte(b[17:]), *q == [8]byte(b[5:13]), *p != a)
	m := map[[3]byte]int{*p: 1}
	m[[3]byte(b[2:])]++
	fmt.Println(m)
	var i any = *q
	fmt.Println(i, i == any([8]byte(b[5:])))
	x := pair{[3]byte(b[3:]), [5]byte(b[9:])}
	y := x
	fmt.Println(x, x == y, string(x.b[:]))
	ch := make(chan [3]byte, 1)
	ch <- *(*[3]byte)(b[7:])
	fmt.Println(<-ch)
	f := func(v [5]byte) [5]byte { v[0] = '!'; return v }
	fmt.Println(f(*(*[5]byte)(b[3:])), f([5]byte(b[13:])))
	w := []int16{1, 2, 3, 4, 5, 6, 7}
	r := (*[2]int16)(w[3:])
	*r = [2]int16{-1, -2}
	fmt.Println(w, [3]int16(w[4:]), *r)
	s := (*[1]bool)([]bool{true, false, true}[1:])
	*s = [1]bool{true}
	fmt.Println(*s)
	z := [][3]byte{{1, 2, 3}, {4, 5, 6}}
	for _, e := range z {
		*p = e
	}
	z[0] = *(*[3]byte)(b[4:])
	copy(z[1:], z[:1])
	fmt.Println(string(b), z)
	func(dst *[3]byte, src *[3]byte) { *dst, *src = *src, *dst }((*[3]byte)(b[0:]), (*[3]byte)(b[5:]))
	fmt.Println(string(b))
	for i, v := range (*[5]byte)(b[9:]) {
		fmt.Print(i, ":", string(rune(v)), " ")
	}
	for i, v := range *(*[5]byte)(b[9:]) {
		fmt.Print(i, ":", string(rune(v)), " ")
	}
	fmt.Println()
	t := struct {
		n int8
		d [3]byte
	}{1, [3]byte(b[1:])}
	fmt.Println(t)
	defer func() { fmt.Println(recover()) }()
	_ = [30]byte(b)
}
