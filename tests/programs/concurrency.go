package main

import (
	"fmt"
	"sync"
	"time"
)

type msg struct {
	a, b int
	s    string
}

func main() {
	ch := make(chan msg)
	done := make(chan struct{})
	go func() {
		for m := range ch {
			fmt.Println(m)
		}
		close(done)
	}()
	for i := range 3 {
		ch <- msg{i, i * i, fmt.Sprint(i)}
	}
	close(ch)
	<-done
	_, ok := <-ch
	fmt.Println(ok)
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := 0
	for i := 0; i < 100; i++ {
		wg.Add(1)
		go func(k int) {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			total += k + i
		}(i)
	}
	wg.Wait()
	fmt.Println(total)
	a, b := make(chan int, 1), make(chan [2]int, 1)
	var nilc chan int
	for n := 0; n < 4; n++ {
		select {
		case a <- n:
			fmt.Println("sent one")
		case b <- [2]int{n, n}:
			fmt.Println("sent one")
		case <-nilc:
			fmt.Println("never")
		default:
			fmt.Println("default")
			v, ok := <-a
			w := <-b
			fmt.Println(v < 4, ok, w[0] == w[1])
			n = 10
		}
	}
	tm := time.After(time.Millisecond)
	select {
	case <-tm:
		fmt.Println("timeout")
	}
	res := make(chan int)
	go func() { defer close(res); res <- 1; res <- 2 }()
	sum := 0
loop:
	for {
		select {
		case v, ok := <-res:
			if !ok {
				break loop
			}
			sum += v
		}
	}
	fmt.Println(sum)
	var once sync.Once
	for range 3 {
		once.Do(func() { fmt.Println("once") })
	}
	var arr [3]chan int
	for i := range arr {
		arr[i] = make(chan int, 1)
	}
	arr[1] <- 5
	select {
	case x := <-arr[0]:
		fmt.Println("0", x)
	case x := <-arr[1]:
		fmt.Println("1", x)
	}
	f := func(n int) chan<- int { fmt.Println("chan", n); return nil }
	g := func(n int) int { fmt.Println("val", n); return n }
	select {
	case f(1) <- g(1):
	case f(2) <- g(2):
	default:
		fmt.Println("none")
	}
	var m sync.Map
	m.Store("a", 1)
	v, _ := m.Load("a")
	fmt.Println(v)
	errc := make(chan error, 1)
	go func() {
		defer func() { errc <- fmt.Errorf("%v", recover()) }()
		var p *msg
		p.a = 1
	}()
	fmt.Println(<-errc)
	select {
	case v := <-chanOf(3):
		fmt.Println(v)
	case <-time.After(time.Second):
	}
}

func chanOf(n int) <-chan int {
	c := make(chan int)
	go func() { c <- n }()
	return c
}
