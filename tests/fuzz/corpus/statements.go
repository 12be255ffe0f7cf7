// Statements of every kind.
package main

import "fmt"

type shape interface {
	area() float64
	name() string
}
type square struct{ side float64 }
type circle struct{ r float64 }

func (s square) area() float64  { return s.side * s.side }
func (s square) name() string   { return "square" }
func (c *circle) area() float64 { return 3 * c.r * c.r }
func (c *circle) name() string  { return "circle" }

func classify(v any) string {
	switch t := v.(type) {
	case nil:
		return "nil"
	case int, int64:
		return fmt.Sprint("integer ", t)
	case string:
		return "string " + t
	case shape:
		return t.name()
	case error:
		return t.Error()
	case func(int) bool:
		if t(1) {
			return "true"
		}
		return "false"
	default:
		return "other"
	}
}

func grade(n int) (g byte) {
	switch {
	case n >= 90:
		g = 'A'
	case n >= 80:
		g = 'B'
		fallthrough
	case n >= 70:
		g++
	default:
		g = 'F'
	}
	switch x := n % 3; x {
	case 0, 1:
		return g
	case 2:
	}
	return
}

func loops(list []int, m map[string]int, s string, ch chan int, arr *[3]int) (total int) {
outer:
	for i := 0; i < 10; i++ {
		for j := range list {
			if j == i {
				continue outer
			}
			if i*j > 6 {
				break outer
			}
			total += i * j
		}
	}
	for k, v := range m {
		total += len(k) + v
	}
	for i, r := range s {
		total += i + int(r)
	}
	for v := range ch {
		total += v
	}
	for i := range arr {
		arr[i] = i
	}
	for range 3 {
		total++
	}
	for i := range uint8(3) {
		total += int(i)
	}
	for total > 100 {
		total /= 2
	}
	for {
		break
	}
	return total
}

func jumps(n int) int {
	i := 0
again:
	if i < n {
		i += 2
		goto again
	}
	return i
}

func channels() (out []int) {
	ch, done := make(chan int, 2), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; i < 3; i++ {
			ch <- i
		}
		close(ch)
	}()
	for {
		select {
		case v, ok := <-ch:
			if !ok {
				ch = nil
				continue
			}
			out = append(out, v)
		case <-done:
			for v := range ch {
				out = append(out, v)
			}
			return out
		}
	}
}

func send(c chan<- string, r <-chan string) {
	select {
	case c <- "x":
	case s := <-r:
		_ = s
	default:
	}
}

func protect(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("caught %v", r)
		}
	}()
	f()
	return nil
}

func swap(a, b *int) { *a, *b = *b, *a }

func pairs(yield func(int, string) bool) {
	_ = yield(1, "one") && yield(2, "two")
}

func main() {
	fmt.Println(classify(1), classify("s"), classify(square{2}), classify(&circle{1}), classify(nil))
	fmt.Println(grade(85), grade(95), jumps(5), channels())
	ch := make(chan int, 1)
	ch <- 4
	close(ch)
	arr := [3]int{}
	fmt.Println(loops([]int{1, 2}, map[string]int{"a": 1}, "hé", ch, &arr), arr)
	send(make(chan string, 1), nil)
	fmt.Println(protect(func() { panic("x") }), protect(func() {}))
	a, b := 1, 2
	swap(&a, &b)
	a += b << 1
	b &^= 1
	a, b = b, a+b
	if s, ok := any(a).(fmt.Stringer); ok {
		fmt.Println(s)
	}
	for i, s := range pairs {
		fmt.Println(i, s)
	}
	var shapes = []shape{square{1}, &circle{2}}
	var total float64
	for _, s := range shapes {
		total += s.area()
	}
	fmt.Println(a, b, total)
}
