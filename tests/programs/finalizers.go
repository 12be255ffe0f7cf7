// Finalizers, cleanups and weak pointers: each is waited for with collections, so that what prints does not depend on when they come.
package main

import (
	"fmt"
	"runtime"
	"time"
	"weak"
)

type node struct {
	name string
	next *node
	pad  [4]int
}

var told = make(chan string, 100)

// made runs f on a stack of its own, which is gone afterwards.
func made(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

// scrub overwrites what calls before it have left on the stack.
func scrub(n, a, b, c, d int) int {
	if n == 0 {
		return a + b + c + d
	}
	return scrub(n-1, 0, 0, 0, 0) + a + b + c + d
}

// hear waits for n messages.
func hear(n int) {
	for n > 0 {
		scrub(20, 0, 0, 0, 0)
		runtime.GC()
		select {
		case s := <-told:
			fmt.Println(s)
			n--
		case <-time.After(time.Millisecond):
		}
	}
}

func (n *node) String() string { return n.name }

var kept *node

func main() {
	made(func() {
		x := &node{name: "plain"}
		runtime.SetFinalizer(x, func(n *node) { told <- "final " + n.name })
	})
	hear(1)
	made(func() {
		x := &node{name: "by interface"}
		runtime.SetFinalizer(x, func(s fmt.Stringer) (int, string, error) { told <- "final " + s.String(); return 1, "", nil })
	})
	hear(1)

	// of two that refer to each other only the first
	made(func() {
		second := &node{name: "second"}
		first := &node{name: "first", next: second}
		for _, n := range []*node{second, first} {
			runtime.SetFinalizer(n, func(n *node) { told <- "final " + n.name })
		}
	})
	hear(2)

	// it may come back, once
	made(func() {
		x := &node{name: "returns", next: &node{name: "with it"}}
		runtime.SetFinalizer(x, func(n *node) { kept = n; told <- "kept" })
	})
	hear(1)
	runtime.GC()
	fmt.Println(kept.name, kept.next.name)
	runtime.SetFinalizer(kept, func(n *node) { told <- "again " + n.next.name })
	kept = nil
	hear(1)

	made(func() {
		x := &node{name: "not any more"}
		runtime.SetFinalizer(x, func(n *node) { told <- "wrong" })
		runtime.SetFinalizer(x, nil)
		y := &node{name: "cleaned"}
		runtime.AddCleanup(y, func(s string) { told <- s }, "cleanup of "+y.name)
		runtime.AddCleanup(y, func(int) { told <- "stopped" }, 1).Stop()
	})
	hear(1)

	var w, same, other weak.Pointer[node]
	made(func() {
		x := &node{name: "weak"}
		w, same, other = weak.Make(x), weak.Make(x), weak.Make(&node{})
		fmt.Println(w == same, w == other, w.Value() == x, w.Value().name)
		runtime.SetFinalizer(x, func(n *node) { told <- fmt.Sprint("weak is nil: ", w.Value() == nil, " ", n.name) })
	})
	hear(1)
	fmt.Println(w.Value() == nil, w == same, weak.Make[node](nil) == weak.Pointer[node]{}, weak.Make[node](nil).Value() == nil)
	strong := &node{name: "strong"}
	w = weak.Make(strong)
	runtime.GC()
	fmt.Println(w.Value().name, w == weak.Make(strong))
	runtime.KeepAlive(strong)

	made(func() {
		for i := range 300 {
			x := &node{name: fmt.Sprint(i)}
			runtime.SetFinalizer(x, func(*node) { told <- "" })
		}
	})
	n := 0
	for tries := 0; n < 290 && tries < 2000; tries++ {
		runtime.GC()
		time.Sleep(100 * time.Microsecond)
		for len(told) > 0 {
			<-told
			n++
		}
	}
	fmt.Println(n >= 290)
}
