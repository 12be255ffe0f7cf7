// How long the collector stops the program while 10 MB, 100 MB and 1 GB of small objects (16 bytes) are alive.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

type node struct{ l, r *node }

func tree(d int) *node {
	if d == 0 {
		return &node{}
	}
	return &node{tree(d - 1), tree(d - 1)}
}

func main() {
	for _, mb := range []int{10, 100, 1000} {
		var live []*node
		var m runtime.MemStats
		for {
			live = append(live, tree(12))
			if len(live)%16 == 0 {
				runtime.ReadMemStats(&m)
				if m.HeapAlloc > uint64(mb)<<20 {
					runtime.GC()
					runtime.ReadMemStats(&m)
					if m.HeapAlloc > uint64(mb)<<20 {
						break
					}
				}
			}
		}
		var before debug.GCStats
		debug.ReadGCStats(&before)
		for i := 0; i < 60*mb; i++ {
			tree(9)
			if i%(2*mb) == 0 {
				live[i%len(live)] = tree(12)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		var st debug.GCStats
		debug.ReadGCStats(&st)
		var longest int64
		n := int(st.NumGC - before.NumGC)
		for i := 0; i < n && i < len(st.Pause); i++ {
			if int64(st.Pause[i]) > longest {
				longest = int64(st.Pause[i])
			}
		}
		fmt.Printf("%d MB: live %d MB, sys %d MB, %d collections, longest pause %.1f ms\n", mb, m.HeapAlloc>>20, m.HeapSys>>20, n, float64(longest)/1e6)
		runtime.KeepAlive(live)
	}
}
