// Four goroutines use one map without a lock, in each of its forms: a fault of the program, which is either reported or goes
// by; the machine stays whole. The argument says how far apart the keys are.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func main() {
	span, _ := strconv.Atoi(os.Args[1])
	m := map[int]*[4]int{}
	for i := 0; i < 100; i++ {
		m[i] = new([4]int)
	}
	var wg sync.WaitGroup
	for g := 0; g < 4; g++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < 300000; i++ {
				k := (i * (2*g + 1)) % span
				switch i % 5 {
				case 0, 1:
					m[k] = new([4]int)
				case 2:
					if p := m[k]; p != nil {
						p[1]++
					}
				case 3:
					delete(m, k)
				case 4:
					if i%1000 == 4 {
						for k, v := range m {
							if v != nil {
								v[2] = k
							}
						}
					}
					if i%5000 == 4 {
						m[1<<50+g] = nil
						clear(m)
					}
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println("done")
}
