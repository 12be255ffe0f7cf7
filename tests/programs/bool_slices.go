// Conditions on elements of bool slices: in every kind of statement, with side effects, out of range, and of nil slices.
package main

import "fmt"

type grid struct{ cells []bool }

func next(i *int) int {
	*i++
	return *i
}

func try(name string, f func()) {
	defer func() { fmt.Println(name, recover()) }()
	f()
}

func count(s []bool) (n, m int) {
	for i := 0; i < len(s); i++ {
		if s[i] {
			n++
		} else if i > 0 && s[i-1] {
			m++
		}
		if !s[i] {
			m += 10
		}
		if s[i] || i%3 == 0 && !s[len(s)-1-i] {
			n += 100
		}
	}
	return
}

func main() {
	s := []bool{true, false, true, true, false}
	fmt.Println(count(s))
	g := &grid{s}
	i := -1
	if g.cells[next(&i)] && !g.cells[next(&i)] {
		fmt.Println("first two", i)
	}
	i = 0
	for i+1 < len(s) && (s[i] || s[i+1]) {
		i++
	}
	fmt.Println("stopped at", i)
	i = 2
	for s[i] {
		i++
	}
	for i--; i >= 2 && !s[i-2]; i-- {
	}
	fmt.Println("and at", i)
	switch {
	case s[1]:
		fmt.Println("one")
	case s[2] && s[3]:
		fmt.Println("two and three")
	}
	x := s[0] && s[4] || s[3]
	y := !s[0]
	fmt.Println(x, y)
	t := [][]bool{{false}, {true}}
	if t[1][0] && !t[0][0] {
		fmt.Println("nested")
	}
	a := [3]bool{true}
	if a[i%3] || a[0] {
		fmt.Println("array")
	}
	var none []bool
	try("nil", func() {
		if none[0] {
			fmt.Println("?")
		}
	})
	try("behind the end", func() {
		if !s[len(s)+i] {
			fmt.Println("?")
		}
	})
	try("negative", func() {
		j := -i
		if s[j] {
			fmt.Println("?")
		}
	})
}
