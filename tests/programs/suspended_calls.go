package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

type W struct {
	mu sync.Mutex
	wg sync.WaitGroup
	out []string
}

func (w *W) add(s string, n ...int) { w.mu.Lock(); defer w.mu.Unlock(); w.out = append(w.out, fmt.Sprint(s, n)); w.wg.Done() }
func (w W) copyVal(c chan<- int, a [3]int) { c <- a[0] + a[2] }

type Doer interface{ add(string, ...int) }

func gen[T any](c chan T, v T) { c <- v }

func multi() (int, string) { return 1, "x" }

func take(n int, s string) { fmt.Println("take", n, s) }

func all() (s string, err error) {
	defer fmt.Println("deferred print", len(os.Args) > 0)
	defer take(multi())
	m := map[string]int{"a": 1, "b": 2}
	defer delete(m, "a")
	c := make(chan int, 3)
	defer close(c)
	sl := []int{1, 2, 3}
	defer copy(sl, []int{9, 9})
	defer clear(m)
	var sb strings.Builder
	defer func() { s = sb.String() }()
	defer sb.WriteString("tail")
	for i := range 3 {
		defer fmt.Fprintf(&sb, "%d-", i)
	}
	defer func(xs ...any) { sb.WriteString(fmt.Sprint(len(xs))) }(1, "a", nil)
	defer recover()
	defer panicky(&err)
	panic("boom")
}

func panicky(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("got %v", r)
	}
}

func main() {
	w := &W{}
	w.wg.Add(5)
	go w.add("a", 1, 2)
	var d Doer = w
	go d.add("b")
	f := w.add
	go f("c", []int{4, 5}...)
	go (*W).add(w, "d", 7)
	go func(x *W, s string) { x.add(s, 8) }(w, "e")
	w.wg.Wait()
	fmt.Println(len(w.out))
	c := make(chan int)
	go (&W{}).copyVal(c, [3]int{5, 0, 6})
	fmt.Println(<-c)
	cs := make(chan string)
	go gen(cs, "generic")
	fmt.Println(<-cs)
	cc := make(chan [2]string, 1)
	go gen[[2]string](cc, [2]string{"p", "q"})
	fmt.Println(<-cc)
	go close(c)
	_, ok := <-c
	fmt.Println(ok)
	fmt.Println(all())
}
