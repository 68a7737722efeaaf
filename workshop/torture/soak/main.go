// Command soak uses all allocators of the library concurrently, from many goroutines, for a given
// time. It compares contents with checksums at every step. It also detects slow growth of the
// resident set and of the number of memory maps, and leaks of goroutines, open files and store
// regions.
//
//	go run ./workshop/torture/soak -for 10m
//
// It prints the number of operations of each allocator. If it finds an error, it prints one line
// and exits with code 1.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// leastLength is the length of the shortest soak that yields meaningful samples.
const leastLength = time.Second

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	length := flags.Duration("for", 10*time.Second, "how long to work, a `TIME` of at least a second")
	seed := flags.Uint64("seed", rand.Uint64(), "`SEED` of the random choices; the goroutines still race")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprintln(stdout, "usage: go run ./workshop/torture/soak [flags]")
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return 0
	case err == nil && flags.NArg() > 0:
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case err == nil && *length < leastLength:
		err = fmt.Errorf("-for %v is too short; at least %v", *length, leastLength)
	}
	if err != nil {
		fmt.Fprintf(stderr, "soak: %v; -help lists the flags\n", err)
		return 2
	}
	s := &soak{length: *length, seed: *seed, workers: everyWorker(), slack: slackOf(*length)}
	report, err := s.run(ctx)
	report.print(stdout)
	if err != nil {
		fmt.Fprintf(stderr, "soak: FAILED with -seed %d: %v\n", *seed, err)
		return 1
	}
	return 0
}
