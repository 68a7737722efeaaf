// Command instrument does a stated amount of work, in units of about a millisecond.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
)

// stepsPerUnit makes a unit about a millisecond.
const stepsPerUnit = 1_000_000

func main() {
	more := flag.Int("more", 0, "percent of work on top")
	flag.Parse()
	units, err := strconv.Atoi(flag.Arg(0))
	if err != nil || units < 1 || units > 1e6 || *more < 0 || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: instrument [-more PERCENT] UNITS")
		os.Exit(2)
	}
	x := uint64(1)
	for range units * stepsPerUnit / 100 * (100 + *more) {
		x = x*6364136223846793005 + 1442695040888963407
	}
	fmt.Println("done", x != 0)
}
