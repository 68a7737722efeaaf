// Command growth repeatedly fills a slice of bools in one of several ways, and prints how many are
// true. The problem is in ../spec.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// ways maps names to functions that fill n bools, every second one true.
var ways = map[string]func(n int) []bool{
	"append-nil": func(n int) []bool {
		var s []bool //coppice:ignore slicegrowth this is what the others are compared with
		for i := range n {
			s = append(s, i%2 == 0)
		}
		return s
	},
	"append-cap": func(n int) []bool {
		s := make([]bool, 0, n)
		for i := range n {
			s = append(s, i%2 == 0)
		}
		return s
	},
	"assign": func(n int) []bool {
		s := make([]bool, n)
		for i := range n {
			s[i] = i%2 == 0
		}
		return s
	},
	"grow": func(n int) []bool {
		s := slices.Grow([]bool(nil), n)
		for i := range n {
			s = append(s, i%2 == 0)
		}
		return s
	},
	"repeat": func(n int) []bool {
		return slices.Repeat([]bool{true, false}, (n+1)/2)[:n]
	},
	"reuse": func(n int) []bool {
		kept = kept[:0]
		for i := range n {
			kept = append(kept, i%2 == 0)
		}
		return kept
	},
}

// kept is the memory that the way reuse refills. result prevents the compiler from removing unused
// work.
var kept, result []bool

// rounds is the number of times that a program fills the slice.
const rounds = 300_000

const usage = "growth -way append-nil|append-cap|assign|grow|repeat|reuse COUNT"

func main() {
	way := flag.String("way", "", "how to fill the slice")
	report := flag.String("report", "", "write figures as JSON to this `file`")
	n := arguments.Number(1, 1e9, usage)
	fillSlice, known := ways[*way]
	if !known {
		arguments.Refuse(fmt.Sprintf("no way %q", *way), usage)
	}
	since := selfreport.Start()
	start := time.Now()
	for range rounds {
		result = fillSlice(n)
	}
	wall := time.Since(start)
	figures := since.Report()
	figures["op_s"] = wall.Seconds() / rounds
	figures["op_bytes"] = figures["bytes"] / rounds
	figures["op_allocs"] = figures["allocs"] / rounds
	trues := 0
	for _, v := range result {
		if v {
			trues++
		}
	}
	fmt.Printf("%d bools, %d true\n", len(result), trues)
	if err := figures.Write(*report); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}
