// Command expect prints the expected output of index for a depth, from a formula. The flag -group
// names the contender's group. The groups small-8 and small-100 use many maps with that number of
// entries, and all other groups use one index.
package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

func main() {
	group := flag.String("group", "", "the `group` of contenders")
	depth := arguments.Number(1, 28, "expect [-group NAME] DEPTH")
	n := uint64(1) << depth
	maps := min(n, 1<<20)
	switch {
	case *group == "small-8":
		few(maps, 8)
	case strings.HasPrefix(*group, "small"):
		few(min(max(n/8, 2), 1<<20), 100)
	default:
		// The keys n/2 to n+n/2-1 are left.
		fmt.Printf("%d entries, %d found, sum %d\n", n, 3*n, n*(n/2+n+n/2-1)/2)
	}
}

// few prints the expected output for the given number of maps, whose entries are numbered from
// 0.
func few(maps, entries uint64) {
	n := maps * entries
	fmt.Printf("%d maps, %d entries, %d found, sum %d\n", maps, n, n, n*(n-1)/2)
}
