// Command settle waits until the machine is quiet enough for a command that measures:
//
//	go run ./cmd/internal/process/quiet/settle -at-most 10m && coppice find
//
// Earlier commands leave a high load average, and the next command would warn about it. If settle
// has to wait, it prints a message to standard error. If the machine is still busy when the time is
// up, settle fails. scripts/recording.sh calls it between commands.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Stderr)) }

func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("settle", flag.ContinueOnError)
	flags.SetOutput(stderr)
	limit := flags.Duration("at-most", 10*time.Minute, "wait no longer than this `time`")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() > 0 || *limit < 0 {
		fmt.Fprintln(stderr, "settle: takes no arguments, and -at-most must be at least 0")
		return 2
	}
	load := quiet.Settle(ctx, *limit, func(l quiet.Load) {
		fmt.Fprintf(stderr, "settle: waiting at most %v until the machine is quiet: %v\n", *limit, l)
	})
	if load.Busy() {
		fmt.Fprintf(stderr, "settle: after %v, %v\n", *limit, load)
		return 1
	}
	return 0
}
