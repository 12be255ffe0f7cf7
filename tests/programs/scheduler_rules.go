// What a program can rely on when goroutines meet: selects, locks, timers, pools.
package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// One channel in several cases; both ends of it in one select of several goroutines.
func duplicates() {
	c := make(chan int)
	go func() {
		for i := range 10 {
			c <- i
		}
		close(c)
	}()
	sum := 0
	for open := true; open; {
		var v int
		select {
		case v, open = <-c:
		case v, open = <-c:
		case v, open = <-c:
		}
		sum += v
	}
	fmt.Println("duplicates", sum)
}

// Two goroutines that send and receive on the same two channels, in both orders.
func selfSelect(buffer int) {
	var wg sync.WaitGroup
	c := make(chan int, buffer)
	for p := range 2 {
		wg.Go(func() {
			for i := range 2000 {
				if p == 0 || i%2 == 0 {
					select {
					case c <- p:
					case v := <-c:
						if buffer == 0 && v == p {
							panic("a goroutine met itself")
						}
					}
				} else {
					select {
					case v := <-c:
						if buffer == 0 && v == p {
							panic("a goroutine met itself")
						}
					case c <- p:
					}
				}
			}
		})
	}
	done := make(chan bool)
	go func() { wg.Wait(); close(done) }()
	for {
		// The last one may wait for a partner.
		select {
		case <-done:
			fmt.Println("self select", buffer)
			return
		case c <- 9:
		case <-c:
		}
	}
}

// All kinds of operations on four channels at once; each value arrives once.
func stress() {
	var c [4]chan int
	c[0], c[1], c[2], c[3] = make(chan int), make(chan int), make(chan int, 2), make(chan int, 3)
	const n = 2000
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range n {
				c[i] <- 1
			}
		})
		wg.Go(func() {
			for range n {
				<-c[i]
			}
		})
	}
	wg.Go(func() {
		var left [4]int
		c1 := c
		for i := range 4 {
			left[i] = n
		}
		for c1[0] != nil || c1[1] != nil || c1[2] != nil || c1[3] != nil {
			k := 0
			select {
			case c1[3] <- 1:
				k = 3
			case c1[2] <- 1:
				k = 2
			case c1[0] <- 1:
				k = 0
			case c1[1] <- 1:
				k = 1
			}
			if left[k]--; left[k] == 0 {
				c1[k] = nil
			}
		}
	})
	wg.Go(func() {
		var left [4]int
		c1 := c
		for i := range 4 {
			left[i] = n
		}
		for c1[0] != nil || c1[1] != nil || c1[2] != nil || c1[3] != nil {
			k := 0
			select {
			case <-c1[0]:
				k = 0
			case <-c1[1]:
				k = 1
			case <-c1[2]:
				k = 2
			case <-c1[3]:
				k = 3
			}
			if left[k]--; left[k] == 0 {
				c1[k] = nil
			}
		}
	})
	wg.Wait()
	fmt.Println("stress", len(c[2]), len(c[3]))
}

// A select with a default takes a case that is ready, however the other side is timed.
func nonblocking() {
	for range 2000 {
		c1, c2 := make(chan int, 1), make(chan int, 1)
		done := make(chan bool, 1)
		c1 <- 1
		go func() {
			select {
			case <-c1:
			case <-c2:
			default:
				done <- false
				return
			}
			done <- true
		}()
		c2 <- 1
		select {
		case <-c1:
		default:
		}
		if !<-done {
			fmt.Println("no case was ready")
		}
	}
	fmt.Println("nonblocking")
}

// Of several ready cases each is as likely as the others: 10 sigma of 10000 tosses are 500.
func fairness() {
	a, b := make(chan bool, 1), make(chan bool, 1)
	var n [2]int
	a <- true
	b <- true
	for range 10000 {
		select {
		case <-a:
			n[0]++
			a <- true
		case <-b:
			n[1]++
			b <- true
		}
	}
	fmt.Println("fair", n[0] > 4500 && n[1] > 4500)
}

func locks() {
	var mu sync.Mutex
	fmt.Println(mu.TryLock(), mu.TryLock())
	mu.Unlock()
	var rw sync.RWMutex
	fmt.Println(rw.TryRLock(), rw.TryRLock(), rw.TryLock())
	rw.RUnlock()
	rw.RUnlock()
	fmt.Println(rw.TryLock(), rw.TryRLock())
	rw.Unlock()
	// Nobody starves beside one that takes the lock again and again.
	var stop atomic.Bool
	var hog sync.WaitGroup
	hog.Go(func() {
		for !stop.Load() {
			mu.Lock()
			for i := 0; i < 1000; i++ {
			}
			mu.Unlock()
		}
	})
	for range 10 {
		time.Sleep(100 * time.Microsecond)
		mu.Lock()
		mu.Unlock()
	}
	stop.Store(true)
	hog.Wait()
	fmt.Println("locks")
}

func pools() {
	p := sync.Pool{New: func() any { return "new" }}
	fmt.Println(p.Get())
	p.Put("old")
	got := p.Get()
	fmt.Println(got == "old" || got == "new")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				p.Put(i)
				p.Get()
				if i%200 == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	fmt.Println("pools")
}

// A semaphore of buffered tokens, and condition variables without lost wake-ups.
func conditions() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready, woken := 0, 0
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			mu.Lock()
			ready++
			for woken == 0 {
				cond.Wait()
			}
			woken--
			mu.Unlock()
		})
	}
	for done := false; !done; runtime.Gosched() {
		mu.Lock()
		done = ready == 20
		mu.Unlock()
	}
	for range 20 {
		mu.Lock()
		woken++
		mu.Unlock()
		cond.Signal()
	}
	wg.Wait()
	fmt.Println("conditions", woken)
}

// Timers fire beside goroutines that never give way.
func busyTimers() {
	var stop atomic.Bool
	for range runtime.GOMAXPROCS(0) {
		go func() {
			for !stop.Load() {
			}
		}()
	}
	fired := make(chan bool)
	time.AfterFunc(time.Millisecond, func() { close(fired) })
	<-fired
	<-time.After(time.Millisecond)
	t := time.NewTicker(time.Millisecond)
	<-t.C
	<-t.C
	t.Stop()
	stop.Store(true)
	fmt.Println("timers")
}

// A timer that is moved to an earlier time fires then.
func earlier() {
	t := time.NewTimer(time.Hour)
	got := make(chan bool)
	go func() { <-t.C; close(got) }()
	time.Sleep(time.Millisecond)
	fmt.Println(t.Reset(time.Millisecond))
	<-got
	fmt.Println(t.Stop(), t.Reset(time.Hour), t.Stop())
}

func contexts() {
	type key int
	bg := context.Background()
	with, cancel := context.WithCancelCause(bg)
	fmt.Println(bg, context.TODO(), with, context.WithValue(with, key(1), 2))
	cancel(errors.New("why"))
	fmt.Println(with.Err(), context.Cause(with), context.WithoutCancel(with).Err())
	late, stop := context.WithTimeout(bg, time.Microsecond)
	defer stop()
	<-late.Done()
	var timeout interface{ Timeout() bool }
	fmt.Println(late.Err(), errors.As(late.Err(), &timeout) && timeout.Timeout())
	ran := make(chan bool)
	undo := context.AfterFunc(late, func() { close(ran) })
	<-ran
	fmt.Println(undo(), bg.Done() == nil)
}

func values() {
	for _, f := range []func(){
		func() { panic(nil) },
		func() { panic(fmt.Sprint("text")) },
		func() { var m map[string]int; m["a"] = 1 },
		func() { var c chan int; close(c) },
	} {
		func() {
			defer func() {
				r := recover()
				_, run := r.(runtime.Error)
				fmt.Printf("%T %v %v\n", r, r, run)
			}()
			f()
		}()
	}
}

func main() {
	duplicates()
	selfSelect(0)
	selfSelect(10)
	stress()
	nonblocking()
	fairness()
	locks()
	pools()
	conditions()
	busyTimers()
	earlier()
	contexts()
	values()
	fmt.Println(runtime.NumCgoCall(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
