package main

import "fmt"

type C complex128
type V struct {
	c complex64
	p *complex128
}

func f(a, b complex128) (complex128, float64) { a, b = b, a; return a * b, real(a) }
func g(xs ...complex64) (s complex64) {
	for _, x := range xs {
		s += x * x
	}
	return
}

var gl complex128 = 3 + 4i

func main() {
	x := 1 + 2i
	y := complex(3, -1)
	x, y = y, x
	fmt.Println(x, y, x*y, x/y, x-y, x+y, -x, x == y, x != y)
	z, r := f(x, y)
	fmt.Println(z, r)
	m := map[complex128]string{1: "one", 2i: "two i"}
	fmt.Println(m[1+0i], m[complex(0, 2)], len(m))
	s := []complex64{1, 2i, 3 + 1i}
	s[1] *= s[2]
	s = append(s, complex64(x), 7)
	fmt.Println(s, g(s...), g())
	arr := [3]complex128{2: 5i}
	arr[0] += arr[2] * arr[2]
	fmt.Println(arr)
	v := V{2 + 3i, &x}
	*v.p += 10
	v.c = -v.c
	v.c /= 2
	fmt.Println(v.c, x, real(v.c), imag(*v.p))
	var e any = x
	switch t := e.(type) {
	case complex64:
		fmt.Println("c64", t)
	case complex128:
		fmt.Println("c128", t*2)
	}
	fmt.Println(e == any(x), e.(complex128))
	gl += 1i
	gl *= gl
	fmt.Println(gl, C(gl)+1)
	fn := func() { x *= 2; gl = x }
	fn()
	fmt.Println(x, gl)
	ch := make(chan complex128, 1)
	ch <- x
	fmt.Println(<-ch + 1)
	var zz complex128
	fmt.Println(x/zz, zz/zz)
	fmt.Printf("%v %.2f %T %T\n", complex64(x), x, x, v.c)
	d := struct{ a, b complex128 }{1, 2}
	d.a, d.b = d.b, d.a
	d2 := d
	fmt.Println(d, d == d2, complex(float32(1.5), 2))
	for i := range 3 {
		x += complex(float64(i), 1)
	}
	fmt.Println(x, real(x) > 3 && imag(x) < 100)
	defer func(c complex128) { fmt.Println("d", c, x) }(x)
	x = 0
	println(x, 1.5, float32(2.25), int8(-3), "s", true, nil == e, 'a')
}
