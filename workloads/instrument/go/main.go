// Command instrument performs a given amount of work, in units of about a millisecond.
package main

import (
	"flag"
	"fmt"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
)

// stepsPerUnit is chosen so that a unit takes about a millisecond.
const stepsPerUnit = 1_000_000

const usage = "instrument [-more PERCENT] UNITS"

func main() {
	more := flag.Int("more", 0, "percent of work on top")
	units := arguments.Number(1, 1e6, usage)
	if *more < 0 {
		arguments.Refuse("-more is negative", usage)
	}
	x := uint64(1)
	for range units * stepsPerUnit / 100 * (100 + *more) {
		x = x*6364136223846793005 + 1442695040888963407
	}
	fmt.Println("done", x != 0)
}
