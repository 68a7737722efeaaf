// Command expect prints the expected output of binary-trees for a depth, from the formulas of
// ../spec.md alone. For the lab, it also prints to standard error the minimum number of bytes
// that the work allocates.
package main

import (
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

func main() {
	depth := arguments.Number(0, 40, "expect DEPTH")
	deepest := max(depth, 6)
	stretch, longLived := nodes(deepest+1), nodes(deepest)
	all := stretch + longLived
	fmt.Printf("stretch tree of depth %d\t check: %d\n", deepest+1, stretch)
	for d := 4; d <= deepest; d += 2 {
		trees := uint64(1) << (deepest - d + 4)
		all += trees * nodes(d)
		fmt.Printf("%d\t trees of depth %d\t check: %d\n", trees, d, trees*nodes(d))
	}
	fmt.Printf("long lived tree of depth %d\t check: %d\n", deepest, longLived)

	// A node has two links of 8 bytes each, or of 4 bytes if they are indices.
	fmt.Fprintf(os.Stderr, "least every-node %d\n", 16*all)
	fmt.Fprintf(os.Stderr, "least every-item %d\n", 24*all) // as published: an item and two links
	fmt.Fprintf(os.Stderr, "least stretch-tree %d\n", 16*stretch)
	fmt.Fprintf(os.Stderr, "least indexed-tree %d\n", 8*stretch)
}

func nodes(depth int) uint64 { return 2<<depth - 1 }
