// Command expect prints the expected output of bump for a depth: the sum in ../spec.md,
// computed by a formula.
package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: expect DEPTH")
		os.Exit(2)
	}
	depth, err := strconv.Atoi(os.Args[1])
	if err != nil || depth < 4 || depth > 20 {
		fmt.Fprintf(os.Stderr, "expect: depth %q is not a whole number from 4 to 20\n", os.Args[1])
		os.Exit(2)
	}
	objects, rounds := uint64(1)<<depth, uint64(1)<<(26-depth)
	sum := rounds*(objects*(objects-1)/2) + objects*(rounds*(rounds-1)/2)
	fmt.Printf("%d objects, %d rounds, sum %d\n", objects, rounds, sum)
}
