// What package runtime and runtime/debug say of collections.
package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

type node struct{ left, right *node }

var kept []*node
var bytes []byte

func tree(depth int) *node {
	if depth == 0 {
		return &node{}
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func main() {
	began := time.Now()
	for range 20 {
		kept = append(kept, tree(6))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range 40 {
		tree(6)
		bytes = make([]byte, 1<<19)
	}
	bytes = nil
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	last := (after.NumGC + 255) % 256

	fmt.Println("collections", after.NumGC > before.NumGC+2, after.NumForcedGC-before.NumForcedGC)
	fmt.Println("objects kept", after.HeapObjects >= 20*127, after.HeapObjects < 40*127)
	fmt.Println("objects made and freed", after.Mallocs-before.Mallocs >= 40*127, after.Frees-before.Frees >= 39*127)
	fmt.Println("sums", after.HeapObjects == after.Mallocs-after.Frees, after.HeapSys == after.HeapInuse+after.HeapIdle)
	fmt.Println("goal", after.NextGC > after.HeapAlloc)
	fmt.Println("last pause", after.PauseNs[last] > 0, after.PauseTotalNs > after.PauseNs[last])
	fmt.Println("its end", after.PauseEnd[last] == after.LastGC, time.Unix(0, int64(after.LastGC)).After(began))
	fmt.Println("share", after.GCCPUFraction > 0, after.GCCPUFraction < 1)

	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 3)}
	debug.ReadGCStats(&stats)
	runtime.ReadMemStats(&after)
	at := (stats.NumGC + 255) % 256
	fmt.Println("the same", stats.LastGC.UnixNano() == int64(after.PauseEnd[at]), stats.PauseTotal <= time.Duration(after.PauseTotalNs))
	fmt.Println("youngest first", len(stats.Pause) == len(stats.PauseEnd), stats.Pause[0] == time.Duration(after.PauseNs[at]), stats.PauseEnd[0].After(stats.PauseEnd[1]))
	q := stats.PauseQuantiles
	fmt.Println("least, median, greatest", q[0] > 0, q[0] <= q[1], q[1] <= q[2])
	for range 300 {
		runtime.GC()
	}
	debug.ReadGCStats(&stats)
	runtime.KeepAlive(kept)
	fmt.Println("remembered", len(stats.Pause))

	// what only dead registers of the caller refer to is garbage
	kept = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	fmt.Println("let go", after.HeapObjects < 15*127)
}
