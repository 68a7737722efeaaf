package main

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/coppice-go/coppice/internal/machine"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// rounds is the number of rounds; the first is reported separately.
const rounds = 6

// trees is implemented by each strategy. It contains a tree and its copy.
type trees interface {
	generate(depth int) error
	copy() error
	check() (tree, copied checksum)
	destroy() error // both
}

// leafValue is the value of the leaf with index i.
func leafValue(i uint32) int32 { return int32(i * 2654435761) }

// A checksum is the result of traversing a tree.
type checksum struct{ nodes, leaves uint64 }

func newChecksum() checksum { return checksum{leaves: 14695981039346656037} }

func (c *checksum) leaf(value int32) {
	c.nodes++
	c.leaves = (c.leaves ^ uint64(uint32(value))) * 1099511628211
}

// phases contains the CPU seconds of each phase of one round.
type phases struct{ generate, copy, destroy float64 }

func (p phases) total() float64 { return p.generate + p.copy + p.destroy }

// run runs all rounds, prints the checksums of the trees, and returns the times.
func run(t trees, depth int, out io.Writer) (times [rounds]phases, err error) {
	for round := range rounds {
		p := &times[round]
		if err := timed(&p.generate, func() error { return t.generate(depth) }); err != nil {
			return times, err
		}
		if err := timed(&p.copy, t.copy); err != nil {
			return times, err
		}
		tree, copied := t.check()
		_, err := fmt.Fprintf(out, "round %d: tree %d nodes %016x\nround %d: copy %d nodes %016x\n",
			round, tree.nodes, tree.leaves, round, copied.nodes, copied.leaves)
		if err != nil {
			return times, err
		}
		if err := timed(&p.destroy, t.destroy); err != nil {
			return times, err
		}
	}
	return times, nil
}

// timed adds the CPU time of f, on all threads, to seconds.
func timed(seconds *float64, f func() error) error {
	took, err := selfreport.CPU(f)
	*seconds += took
	return err
}

// addTimes adds the times of the first round, and the means of the other rounds, to a report.
func addTimes(r selfreport.Report, times [rounds]phases) {
	var mean phases
	for _, p := range times[1:] {
		mean.generate += p.generate / (rounds - 1)
		mean.copy += p.copy / (rounds - 1)
		mean.destroy += p.destroy / (rounds - 1)
	}
	var squares float64
	for _, p := range times[1:] {
		squares += (p.total() - mean.total()) * (p.total() - mean.total())
	}
	for prefix, p := range map[string]phases{"": mean, "first_": times[0]} {
		r[prefix+"generate_s"], r[prefix+"copy_s"], r[prefix+"delete_s"] = p.generate, p.copy, p.destroy
		r[prefix+"total_s"] = p.total()
	}
	r["total_sd_s"] = math.Sqrt(squares / (rounds - 2))
	if bytes := machine.PeakVirtual(os.Getpid()); bytes > 0 {
		r["virtual_bytes"] = float64(bytes)
	}
}
