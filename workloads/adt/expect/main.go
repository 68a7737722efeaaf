// Command expect prints the expected output of adt for a depth, computed from ../spec.md alone.
// For the lab, it also prints to standard error the minimum number of bytes that the work
// allocates.
package main

import (
	"fmt"
	"os"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

// rounds is the number of rounds in a process.
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
	// Two trees whose nodes have two pointers (allocated in each round, or once) or two indices.
	fmt.Fprintf(os.Stderr, "least every-node %d\n", rounds*2*16*nodes)
	fmt.Fprintf(os.Stderr, "least two-trees %d\n", 2*16*nodes)
	fmt.Fprintf(os.Stderr, "least two-indexed-trees %d\n", 2*8*nodes)
}
