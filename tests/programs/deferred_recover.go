// `defer recover()` recovers as if the function that deferred it had called recover at its end, and nothing when a panic runs it.
package main

import "fmt"

func seen(what string) { fmt.Println(what, recover()) }

func directly() {
	defer seen("not recovered by the call itself:")
	defer recover()
	panic(1)
}

func inside() {
	defer seen("recovered before:")
	defer func() {
		defer recover()
	}()
	panic(2)
}

func withAnother() {
	defer seen("both gone:")
	defer func() {
		defer recover()
		defer seen("the inner one:")
		panic(4)
	}()
	panic(3)
}

func otherOrder() {
	defer seen("the outer one is left:")
	defer func() {
		defer seen("the inner one is left:")
		defer recover()
		panic(6)
	}()
	panic(5)
}

func main() {
	directly()
	inside()
	withAnother()
	otherOrder()
	defer fmt.Println("end")
	defer recover()
}
