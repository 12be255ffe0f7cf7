// Maps with integer keys that stand close together, far apart, and first one and then the other, also under an iteration:
// what iteration must visit, exactly once, does not depend on how the map keeps its entries.
package main

import "fmt"

type pair struct{ a, b int }

type big struct{ words [40]int }

// visits iterates over m while changing it: at the third entry `change` runs. Entries that were there before and were
// not removed must come exactly once; removed ones that had not come must not come.
func visits(name string, m map[int]int, change func(seen map[int]bool) (removed []int)) {
	before := map[int]bool{}
	for k := range m {
		before[k] = true
	}
	seen, gone := map[int]bool{}, map[int]bool{}
	n, twice, ghosts, wrong := 0, 0, 0, 0
	for k, v := range m {
		if seen[k] {
			twice++
		}
		if gone[k] {
			ghosts++
		}
		if before[k] && v != k*3 {
			wrong++
		}
		seen[k] = true
		n++
		if n == 3 {
			for _, r := range change(seen) {
				if !seen[r] {
					gone[r] = true
				}
			}
		}
	}
	missed := 0
	for k := range before {
		if !seen[k] && !gone[k] {
			missed++
		}
	}
	fmt.Println(name, "missed", missed, "twice", twice, "ghosts", ghosts, "wrong", wrong, "len", len(m))
}

func filled(n, step int) map[int]int {
	m := map[int]int{}
	for i := 0; i < n; i++ {
		m[i*step] = i * step * 3
	}
	return m
}

func iterations() {
	for _, n := range []int{5, 15, 16, 17, 64, 100, 1000} {
		m := filled(n, 1)
		visits(fmt.Sprint("far key ", n), m, func(map[int]bool) []int { m[1<<40] = 1; return nil })
		m = filled(n, 1)
		visits(fmt.Sprint("negative key ", n), m, func(map[int]bool) []int { m[-1] = 1; return nil })
		m = filled(n, 1)
		visits(fmt.Sprint("many keys ", n), m, func(map[int]bool) []int {
			for i := 0; i < 4*n; i++ {
				m[n+i] = 1
			}
			return nil
		})
		m = filled(n, 1)
		visits(fmt.Sprint("far and removed ", n), m, func(seen map[int]bool) []int {
			m[1<<40] = 1
			var removed []int
			for i := 0; i < n; i += 2 {
				delete(m, i)
				removed = append(removed, i)
			}
			return removed
		})
		m = filled(n, 1)
		visits(fmt.Sprint("removed and far ", n), m, func(seen map[int]bool) []int {
			var removed []int
			for i := 0; i < n; i += 3 {
				delete(m, i)
				removed = append(removed, i)
			}
			m[1<<40] = 1
			return removed
		})
		m = filled(n, 1000)
		visits(fmt.Sprint("thin, then close ", n), m, func(map[int]bool) []int {
			for i := 0; i < 5000; i++ {
				if i%1000 != 0 {
					m[i] = 1
				}
			}
			return nil
		})
		m = filled(n, 1)
		visits(fmt.Sprint("cleared ", n), m, func(map[int]bool) []int {
			var removed []int
			for k := range m {
				removed = append(removed, k)
			}
			clear(m)
			return removed
		})
	}
}

// checksums follows a long mixture of operations against a plain slice.
func checksums() {
	m := map[uint16]int32{}
	var want [1 << 16]int32
	var has [1 << 16]bool
	x := uint32(1)
	size := 0
	for i := 0; i < 60000; i++ {
		x = x*1664525 + 1013904223
		k := uint16(x >> 16 % 700)
		if i > 20000 {
			k = uint16(x >> 16)
		}
		switch x >> 8 & 3 {
		case 0:
			if has[k] {
				size--
			}
			delete(m, k)
			want[k], has[k] = 0, false
		case 1:
			if !has[k] {
				size++
			}
			m[k] = int32(i)
			want[k], has[k] = int32(i), true
		case 2:
			if !has[k] {
				size++
			}
			m[k]++
			want[k]++
			has[k] = true
		default:
			v, ok := m[k]
			if v != want[k] || ok != has[k] {
				fmt.Println("differs at", i, k, v, want[k], ok, has[k])
			}
		}
		if len(m) != size {
			fmt.Println("length at", i, len(m), size)
			return
		}
	}
	sum := 0
	for k, v := range m {
		sum += int(k) * int(v) % 1009
	}
	fmt.Println("sum", sum, "len", len(m))
}

// values of all forms: none, several slots, in memory, pointers.
func values() {
	set := map[int]struct{}{}
	pairs := map[int]pair{}
	bigs := map[int]big{}
	words := map[int]string{}
	lists := map[byte][]int{}
	inner := map[int]map[int]int{}
	for i := 0; i < 300; i++ {
		set[i] = struct{}{}
		pairs[i] = pair{i, -i}
		b := bigs[i/2]
		b.words[i%40] = i
		bigs[i/2] = b
		words[i] = fmt.Sprint("w", i)
		lists[byte(i)] = append(lists[byte(i)], i)
		if inner[i%20] == nil {
			inner[i%20] = map[int]int{}
		}
		inner[i%20][i]++
	}
	_, in := set[299]
	_, out := set[300]
	fmt.Println(len(set), in, out)
	p, ok := pairs[1000]
	fmt.Println(pairs[7], p, ok, len(pairs))
	b1, b2 := bigs[100], bigs[1000]
	fmt.Println(b1.words[0], b1.words[1], b2.words[0], len(bigs))
	fmt.Println(words[17], words[299], words[300] == "", len(words))
	fmt.Println(lists[3], lists[255], len(lists))
	fmt.Println(len(inner), len(inner[3]), inner[3][63], inner[3][64])
	words[-5] = "minus"
	fmt.Println(words[17], words[-5], len(words))
	delete(words, -5)
	clear(pairs)
	pairs[3] = pair{1, 2}
	fmt.Println(len(words), pairs)
	small := map[int]int{3: 1, 1: 2}
	for i := 0; i < 20; i++ {
		small[i] += i
	}
	fmt.Println(small)
	var none map[int]int
	v, ok := none[3]
	fmt.Println(v, ok, len(none))
	defer func() { fmt.Println(recover()) }()
	none[1]++
}

func main() {
	iterations()
	checksums()
	values()
}
