// What a program can learn of its callers, and of functions that are values.
package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
)

type thing struct{}

func (thing) Do()      {}
func (*thing) Change() {}

func here(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	return fmt.Sprint(filepath.Base(file), ":", line, " ", ok)
}

func names() (list []string) {
	pcs := make([]uintptr, 10)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		list = append(list, f.Function)
		if f.Function == "main.main" || !more {
			return list
		}
	}
}

func panics(f func()) {
	defer func() {
		fmt.Println(here(1) != "", names(), recover() != nil)
	}()
	f()
}

func where(f func()) {
	defer func() {
		// the deferred function, the panic, what panicked
		fmt.Println(here(3))
		recover()
	}()
	f()
}

func name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

func explicit() { panic("explicit") }

func main() {
	fmt.Println(here(0), here(1), here(100))
	panics(explicit)
	panics(func() { var p *[]int; *p = nil })
	where(explicit)
	func() {
		defer func() { fmt.Println(names()) }()
	}()

	local := func() {}
	fmt.Println(name(main), name(local), name(fmt.Sprint), name(thing.Do), name((*thing).Change), name(func(int) {}))
	f := runtime.FuncForPC(reflect.ValueOf(explicit).Pointer())
	file, line := f.FileLine(f.Entry())
	fmt.Println(filepath.Base(file), line, runtime.FuncForPC(0) == nil)
}
