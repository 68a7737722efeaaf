// Package driver runs and measures third-party libraries. All variants of a library have the same
// driver. Only the arena differs: a driver passes an arena if its library was changed to accept
// one.
package driver

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"runtime/metrics"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/workloads/internal/arguments"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// A Program is the work of a library.
type Program interface {
	// Load prepares the input and returns the number of operations of a run at this depth.
	Load(depth int) (operations int, err error)
	// Operate performs one operation, and keeps its result if that is part of the work. It calls
	// Reset whenever all earlier results are dead.
	Operate() error
	// Sum returns a hash of the result of an operation: of the last one, or of an additional one.
	Sum() (uint64, error)
}

// A Program may also have a method Figures() map[string]float64, whose results go into the
// report.

// GreatestDepth is the largest depth that a driver accepts.
const GreatestDepth = 20

// Usual is the default depth, at which a run takes one or two seconds.
const Usual = 10

// Operations returns the number of operations at a depth, which is at least one. usual is the
// number of operations at the default depth.
func Operations(depth, usual int) int { return max(1, usual<<depth>>Usual) }

// pooled is the arena, for drivers whose library accepts one.
var pooled *arena.Arena

// Arena returns the arena that Reset resets.
func Arena() *arena.Arena {
	if pooled == nil {
		pooled = &arena.Arena{Options: arena.Options{Defer: 16}} // 16 suits phases of a few dozen values, which some programs have
	}
	return pooled
}

// Reset frees what the library allocated in the arena. Without an arena it does nothing, and
// leaves the memory to the collector.
func Reset() {
	if pooled != nil {
		pooled.Reset()
	}
}

// Main is the main function of a driver. With -answer it performs one operation, and prints the
// output that all runs must print.
func Main(name string, p Program) {
	usage := name + " [-report FILE] [-answer] DEPTH"
	report := flag.String("report", "", "write figures as JSON to this `file`")
	answer := flag.Bool("answer", false, "do one operation only, and print the answer for the depth")
	depth := arguments.Number(0, GreatestDepth, usage)
	if err := run(p, depth, *answer, *report); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

func run(p Program, depth int, answer bool, report string) error {
	operations, err := p.Load(depth)
	if err != nil {
		return err
	}
	done := operations
	if answer {
		done = 1
	}
	runtime.GC()
	since, before := selfreport.Start(), accounts()
	seconds, err := selfreport.CPU(func() error {
		for range done {
			if err := p.Operate(); err != nil {
				return err
			}
		}
		runtime.GC() // while the last result is live, so that each variant pays for its collections
		return nil
	})
	if err != nil {
		return err
	}
	figures := since.Report()
	figures["op_cpu_s"] = seconds
	after := accounts()
	figures["gc_cpu_s"] = after.collector - before.collector
	figures["gc_percent"] = 100 * (after.collector - before.collector) / (after.busy - before.busy)
	sum, err := p.Sum()
	if err != nil {
		return err
	}
	fmt.Printf("%d operations, sum %016x\n", operations, sum)
	if own, ok := p.(interface{ Figures() map[string]float64 }); ok {
		maps.Copy(figures, own.Figures())
	}
	return figures.Write(report)
}

// account is the processor time so far, of the collector and in total, as the runtime estimates it
// at the end of each cycle. If other processes also use the processors, the estimates exceed the
// CPU time.
type account struct{ collector, busy float64 }

func accounts() account {
	sample := []metrics.Sample{
		{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"},
	}
	metrics.Read(sample)
	return account{sample[0].Value.Float64(), sample[1].Value.Float64() - sample[2].Value.Float64()}
}
