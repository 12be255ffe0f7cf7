// Strings and slices over memory that there is already.
package main

import (
	"fmt"
	"unsafe"
)

func try(what string, f func()) {
	defer func() { fmt.Println(what, recover()) }()
	f()
}

func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
func raw(s string) []byte  { return unsafe.Slice(unsafe.StringData(s), len(s)) }

func main() {
	b := []byte("hello")
	s := text(b)
	fmt.Println(s, len(s), text(nil) == "", text(b[2:4]))
	b[0] = 'J'
	fmt.Println(s, s[1:] == "ello")
	fmt.Println(string(raw("constant")), len(raw("abc")), cap(raw("abc")), raw("") == nil)

	a := [4]int32{10, 20, 30, 40}
	v := unsafe.Slice(&a[1], 2)
	v[0] = 21
	v = append(v, 99)
	fmt.Println(a, v, len(v), cap(v) >= 3)
	type pair struct{ x, y int }
	ps := []pair{{1, 2}, {3, 4}, {5, 6}}
	qs := unsafe.Slice(unsafe.SliceData(ps[1:]), 2)
	qs[1].y = 60
	fmt.Println(ps, qs, unsafe.SliceData(ps) == &ps[0], unsafe.SliceData([]pair(nil)) == nil)

	n := -1
	var none *byte
	try("negative", func() { _ = unsafe.String(&b[0], n) })
	try("nil", func() { _ = unsafe.String(none, 1) })
	try("nil and nothing", func() { fmt.Println(unsafe.String(none, 0) == "", unsafe.Slice(none, 0) == nil) })
	try("negative slice", func() { _ = unsafe.Slice(&b[0], n) })
	try("nil slice", func() { _ = unsafe.Slice(none, 1) })
	big := uint64(1) << 63
	try("large", func() { _ = unsafe.Slice(&a[0], big) })
	defer fmt.Println("deferred", unsafe.String(&b[1], 3))
}
