// Command expect prints the expected output of index for a depth, from a formula.
package main

import (
	"fmt"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

func main() {
	n := uint64(1) << arguments.Number(1, 28, "expect DEPTH")
	// The keys n/2 to n+n/2-1 are left.
	fmt.Printf("%d entries, %d found, sum %d\n", n, 3*n, n*(n/2+n+n/2-1)/2)
}
