package main

import (
	"fmt"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  int
}

// A nil pointer under the lock: the mutex is locked when the panic comes.
func lockedWhenItPanics(c *counter, p *int) (locked bool) {
	defer func() {
		fmt.Println("recovered:", recover())
		locked = !c.mu.TryLock()
	}()
	c.mu.Lock()
	*p++
	c.mu.Unlock()
	return false
}

func (c *counter) add() {
	c.mu.Lock()
	c.n += 3
	c.mu.Unlock()
}

func count() int {
	var c counter
	var wg sync.WaitGroup
	for range 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 2000 {
				c.add()
				c.mu.Lock()
				c.n--
				c.mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return c.n
}

type shape interface{ area() int }

type (
	a int
	b struct{ x, y int }
	c string
	d []int
	e struct{ p *int }
	f [3]int
	g func() int
)

func (v a) area() int  { return int(v) }
func (v b) area() int  { return v.x * v.y }
func (v c) area() int  { return len(v) }
func (v d) area() int  { return len(v) * 10 }
func (v e) area() int  { return *v.p }
func (v f) area() int  { return v[0] + v[1] + v[2] }
func (v g) area() int  { return v() }
func (v *b) grow() int { v.x++; return v.x }

// One call of an interface method that meets more types than its cache holds.
func areas(list []shape) (sum int) {
	for range 3 {
		for i, s := range list {
			sum += (i + 1) * s.area()
		}
	}
	return sum
}

// Calls of every kind that outgrow the stack.
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

type node struct{ next walker }

type walker interface{ walk() int }

func (n *node) walk() int {
	if n.next == nil {
		return 1
	}
	return n.next.walk() + 1
}

func deferred(n int) (r int) {
	defer func() { r++ }()
	if n > 0 {
		r = deferred(n - 1)
	}
	return r
}

func grown() {
	done := make(chan int)
	go func() { done <- deep(10000) }()
	fmt.Println("call:", <-done)
	go func() {
		var f func(int) int
		f = func(n int) int {
			if n == 0 {
				return 0
			}
			return f(n-1) + 1
		}
		done <- f(10000)
	}()
	fmt.Println("closure:", <-done)
	go func() {
		var n *node
		for range 10000 {
			m := &node{}
			if n != nil {
				m.next = n
			}
			n = m
		}
		done <- n.walk()
	}()
	fmt.Println("method:", <-done)
	go func() { done <- deferred(10000) }()
	fmt.Println("deferred:", <-done)
}

func nilCall(s shape) (text any) {
	defer func() { text = recover() }()
	return s.area()
}

// A receive that waits for a channel which is closed then, and whose result may take the channel's place.
func closedMeanwhile() [20]int {
	c := make(chan [20]int)
	ready := make(chan bool)
	go func() {
		<-ready
		close(c)
	}()
	get := func() chan [20]int { return c }
	ready <- true
	return <-get()
}

func main() {
	fmt.Println("closed:", closedMeanwhile())
	fmt.Println("locked:", lockedWhenItPanics(&counter{}, nil))
	fmt.Println("count:", count())
	n := 7
	list := []shape{a(2), b{3, 4}, c("five"), d{1, 2}, e{&n}, f{1, 2, 3}, g(func() int { return 9 }), &b{5, 6}}
	fmt.Println("areas:", areas(list))
	grown()
	fmt.Println("nil:", nilCall(nil))
}
