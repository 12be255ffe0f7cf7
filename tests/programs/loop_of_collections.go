package main

import (
	"fmt"
	"runtime"
)

func main() {
	go func() {
		for {
			runtime.GC()
		}
	}()
	for range 200 {
		runtime.Gosched()
	}
	fmt.Println("main had its turns")
}
