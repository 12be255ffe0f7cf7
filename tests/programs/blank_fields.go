// What a literal gives for a field without a name is computed, and dropped.
package main

import "fmt"

type flat struct{ a, _, c int }
type long struct {
	_ [3]int
	s string
	_ string
	t [2]bool
}
type lonely struct{ _ int }

func say(n int) int {
	fmt.Print("say ", n, " ")
	return n
}

func main() {
	x := flat{1, 2, 3}
	fmt.Println(x, x == flat{1, 9, 3}, flat{say(1), say(2), say(3)})
	fmt.Println(&flat{4, say(5), 6}, []flat{{7, 8, 9}}, map[string]flat{"k": {1, 1, 1}})
	fmt.Printf("%v %+v\n", long{[3]int{1, 2, 3}, "s", "dropped", [2]bool{true, true}}, &long{[3]int{say(1)}, "s", "d", [2]bool{}})
	fmt.Println(lonely{5}, &lonely{say(6)}, new(lonely{7}))
	var y any = struct{ _, b string }{"gone", "here"}
	fmt.Println(y)
}
