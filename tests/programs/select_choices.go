// A select that waits with two cases of one channel must not always take the same; an iterator that swallows the panic of its misuse is caught.
package main

import (
	"fmt"
	"slices"
)

func swallowing(yield func(int) bool) {
	for i := range 4 {
		func() {
			defer func() { recover() }()
			yield(i)
		}()
	}
}

func misused() (seen []int) {
	defer func() { fmt.Println(recover(), seen) }()
	for x := range slices.Values([]int{1, 2}) {
		seen = append(seen, x)
		for y := range swallowing {
			seen = append(seen, y)
			break
		}
	}
	return seen
}

func labelled() (seen []int) {
	defer func() { fmt.Println(recover(), seen) }()
outer:
	for x := range slices.Values([]int{1, 2}) {
		for y := range swallowing {
			seen = append(seen, x, y)
			break outer
		}
	}
	return seen
}

func main() {
	bits := make(chan int)
	go func() {
		for {
			select {
			case bits <- 0:
			case bits <- 1:
			}
		}
	}()
	var n [2]int
	for range 2000 {
		n[<-bits]++
	}
	fmt.Println(n[0] > 500, n[1] > 500)

	in := make(chan int)
	stop := make(chan bool)
	var got [2]int
	go func() {
		for range 2000 {
			select {
			case <-in:
				got[0]++
			case <-in:
				got[1]++
			}
		}
		close(stop)
	}()
	for i := range 2000 {
		in <- i
	}
	<-stop
	fmt.Println(got[0] > 500, got[1] > 500)
	misused()
	labelled()
}
