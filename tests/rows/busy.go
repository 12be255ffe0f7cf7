package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"time"
)

func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

func reader(c net.Conn, done chan int) {
	b := make([]byte, 1)
	n, _ := c.Read(b)
	done <- n
}

func sockets() {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	out, _ := net.Dial("tcp", l.Addr().String())
	in, _ := l.Accept()
	done := make(chan int)
	time.Sleep(time.Millisecond)

	go reader(in, done)
	time.Sleep(2 * time.Millisecond)
	out.Write([]byte{1})
	<-done
	in.SetReadDeadline(time.Now().Add(time.Millisecond))
	in.Read(make([]byte, 1))
	in.Close()
	out.Close()
	l.Close()
}

func channels() {
	c, d := make(chan int), make(chan int, 1)
	go func() {
		for range 100 {
			c <- 1
			d <- 1
		}
		close(c)
	}()
	d <- 0
	<-d
	for range c {
		select {
		case <-d:
		case <-time.After(time.Second):
		}
	}
	wait := make(chan int)
	go func() { wait <- 1 }()
	select {
	case <-wait:
	case <-c:
	}
	go func() { time.Sleep(time.Millisecond); close(wait) }()
	select {
	case <-wait:
	case <-make(chan int):
	}
}

func locks() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 3 {
				mu.Lock()
				time.Sleep(2 * time.Millisecond)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

func main() {
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {})
	}
	wg.Wait()
	for range 1000 {
		wg.Go(runtime.Gosched)
	}
	wg.Wait()
	sockets()
	channels()
	locks()
	for range 4 {
		wg.Go(func() {
			for i := 0; i < 30000000; i++ {
			}
		})
	}
	wg.Wait()
	stop := make(chan int)
	go func() {
		deep(10000)
		stop <- 1
		<-stop
	}()
	<-stop
	runtime.GC()
	t := time.NewTimer(time.Hour)
	t.Stop()
	f := time.AfterFunc(time.Hour, func() {})
	f.Stop()
	fmt.Fprintln(os.Stdout, "done")
}
