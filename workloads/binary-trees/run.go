package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"

	"github.com/dustin/go-humanize"

	binarytrees "github.com/coppice-go/coppice/workloads/binary-trees/go"
	"github.com/coppice-go/coppice/workloads/internal/memory"
	"github.com/coppice-go/coppice/workloads/internal/selfreport"
)

// These exit codes are used throughout Coppice.
const (
	exitOK      = 0
	exitFailure = 1 // the program failed
	exitUsage   = 2 // the arguments are invalid
)

// run runs the program and returns its exit code. It prints the answer to stdout and
// everything else to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := execute(ctx, args, stdout, stderr)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		printHelp(stdout)
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "binary-trees: %v\n", err)
		return exitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "binary-trees: interrupted; the lines above are complete")
		return exitFailure
	default:
		fmt.Fprintf(stderr, "binary-trees: %v\n", err)
		return exitFailure
	}
}

func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c, err := parse(args)
	if err != nil {
		return err
	}
	if c.list {
		return printStrategies(stdout)
	}
	shape := binarytrees.NewShape(c.depth)
	if err := checkFits(shape, c); err != nil {
		return err
	}
	profiles, err := startProfiles(c.cpuProfile, c.memProfile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, profiles.stop()) }()

	started := startStats()
	allocated := selfreport.Start()
	bar := newProgress(stderr, shape.TotalNodes())
	runErr := binarytrees.Run{
		Strategy: c.strategy, Shape: shape, Workers: c.workers, Progress: bar.add,
	}.Do(ctx, bar.over(stdout))
	bar.clear()
	if runErr == nil {
		runErr = c.writeReport(allocated)
	}
	if c.stats {
		started.print(stderr)
	}
	return runErr
}

// writeReport writes the report if one was requested, with the figures that published programs add.
func (c command) writeReport(since selfreport.Since) error {
	if c.report == "" {
		return nil
	}
	figures := since.Report()
	if c.strategy.Allocator != "" {
		part, err := allocatedBy(c.strategy.Allocator)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		figures["profiled_part"] = part
	}
	if c.strategy.Published() {
		figures["int_bytes"], figures["pointer_bytes"] = wordBytes()
	}
	return figures.Write(c.report)
}

// wordBytes returns the sizes of an int and of a pointer.
func wordBytes() (integer, pointer float64) {
	return float64(reflect.TypeFor[int]().Size()), float64(reflect.TypeFor[*int]().Size())
}

// checkFits fails if the live trees alone exceed the available memory, before any page is touched.
// The collector needs additional memory for garbage. If GOGC would let the heap grow beyond the
// available memory, checkFits sets a memory limit, above which the collector runs more often.
func checkFits(shape binarytrees.Shape, c command) error {
	need := shape.MinBytes(c.strategy, c.workers)
	limit := memory.LeastLimit()
	if need > limit.Bytes {
		return fmt.Errorf("depth %d with allocator %s and %d workers needs %d bytes (%s) for its live trees; %s is %d bytes (%s): choose a smaller depth",
			c.depth, c.strategy.Name, c.workers, need, humanize.IBytes(need), limit.Source, limit.Bytes, humanize.IBytes(limit.Bytes))
	}
	if need > limit.Bytes/2 && limit.Source != memory.GoMemLimit {
		debug.SetMemoryLimit(int64(limit.Bytes))
	}
	return nil
}
