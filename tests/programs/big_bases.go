// Numbers in every base that package big knows.
package main

import (
	"fmt"
	"math/big"
)

func main() {
	for _, n := range []int64{0, 1, -1, 61, 62, -3843, 1 << 62} {
		x := big.NewInt(n)
		for _, base := range []int{2, 16, 36, 37, 50, 62} {
			s := x.Text(base)
			y, ok := new(big.Int).SetString(s, base)
			fmt.Print(s, " ", ok && y.Cmp(x) == 0, "; ")
		}
		fmt.Println()
	}
	big1, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	fmt.Println(big1.Text(62), big1.Text(36))
	for _, s := range []string{"", "-", "+Zz", "A!", "a"} {
		x, ok := new(big.Int).SetString(s, 62)
		fmt.Println(x, ok)
	}
	x, ok := new(big.Int).SetString("Z", 40)
	fmt.Println(x, ok)
}
