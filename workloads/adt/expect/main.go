// Command expect prints what a solution of adt must print for a depth, from ../spec.md
// alone, and on standard error how many bytes the work takes at least, for the lab.
package main

import (
	"fmt"
	"os"

	"github.com/coppice-go/coppice/internal/arguments"
)

// rounds is how many there are in a process.
const rounds = 6

func main() {
	depth := arguments.Number(1, 31, "expect DEPTH")
	nodes := uint64(1)<<depth - 1
	checksum := uint64(14695981039346656037)
	for i := range uint64(1) << (depth - 1) {
		checksum = (checksum ^ uint64(uint32(i*2654435761))) * 1099511628211
	}
	for round := range rounds {
		for _, tree := range []string{"tree", "copy"} {
			fmt.Printf("round %d: %s %d nodes %016x\n", round, tree, nodes, checksum)
		}
	}
	// Two trees: of two pointers a node, in each round or once, or of two indexes.
	fmt.Fprintf(os.Stderr, "least every-node %d\n", rounds*2*16*nodes)
	fmt.Fprintf(os.Stderr, "least two-trees %d\n", 2*16*nodes)
	fmt.Fprintf(os.Stderr, "least two-indexed-trees %d\n", 2*8*nodes)
}
