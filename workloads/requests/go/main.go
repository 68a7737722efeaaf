// Command requests solves ../spec.md: a service that evaluates sheets, with a choice of memory
// management, and the load that measures it.
//
//	requests run -memory NAME [-report FILE] DEPTH     both; the lab does this
//	requests serve -memory NAME [-address HOST:PORT]   the service alone
//	requests load [-address HOST:PORT] DEPTH           the load alone
//
// run is a service that starts load in a separate process, once for each loop.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/workloads/requests/go/load"
	"github.com/coppice-go/coppice/workloads/requests/go/service"
)

// memories maps the values of -memory to their meanings.
var memories = map[string]service.Memory{
	"go-heap": service.GoHeap,
	"arena":   service.Arena,
}

// A job is a parsed command line.
type job struct {
	command string // run, serve or load
	memory  service.Memory
	report  string
	plan    load.Plan
}

const usage = "usage: requests run -memory NAME DEPTH, serve -memory NAME, or load DEPTH; -help has the flags"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	j, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "requests: %v; %s\n", err, usage)
		return 2
	}
	switch j.command {
	case "serve":
		err = serve(j, stdout)
	case "load":
		err = sendLoad(j, stdout)
	default:
		err = measure(j, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "requests:", err)
		return 1
	}
	return 0
}

// parse reads the command line. It writes the output of -help to help.
func parse(args []string, help io.Writer) (j job, err error) {
	if len(args) == 0 {
		return j, errors.New("no command")
	}
	j.command = args[0]
	flags := flag.NewFlagSet("requests "+j.command, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	var memory string
	switch j.command {
	case "run":
		flags.StringVar(&j.report, "report", "", "write figures as JSON to this `file`")
		flags.Float64Var(&j.plan.Rate, "rate", 1000, "`requests` a second of the open loop")
	case "serve":
		flags.StringVar(&j.plan.Address, "address", "localhost:8080", "listen at this `host:port`")
	case "load":
		flags.StringVar(&j.plan.Address, "address", "localhost:8080", "where the service is, a `host:port`")
		flags.Float64Var(&j.plan.Rate, "rate", 0, "`requests` a second of the open loop; 0 is the closed loop")
		flags.IntVar(&j.plan.Connections, "connections", closedConnections, "how `many` are open at once")
	case "-h", "-help", "--help", "help":
		fmt.Fprintln(help, usage)
		return j, flag.ErrHelp
	default:
		return j, fmt.Errorf("no command %q", j.command)
	}
	if j.command != "load" {
		flags.StringVar(&memory, "memory", "", "where memory comes from, one of "+memoryNames())
	}
	if err := flags.Parse(args[1:]); errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(help, usage)
		flags.SetOutput(help)
		flags.PrintDefaults()
		return j, err
	} else if err != nil {
		return j, err
	}
	if j.command != "load" {
		var known bool
		if j.memory, known = memories[memory]; !known {
			return j, fmt.Errorf("no memory %q; there are %s", memory, memoryNames())
		}
	}
	return j, j.check(flags.Args())
}

func memoryNames() string { return strings.Join(slices.Sorted(maps.Keys(memories)), " ") }

// check reads the arguments after the flags, and rejects invalid values.
func (j *job) check(args []string) error {
	if j.command == "serve" {
		if len(args) > 0 {
			return errors.New("serve takes no arguments")
		}
		return nil
	}
	if len(args) != 1 {
		return fmt.Errorf("%d arguments, want one: the depth", len(args))
	}
	depth, err := strconv.Atoi(args[0])
	if err != nil || depth < 0 || depth > 20 {
		return fmt.Errorf("depth %q is not a whole number from 0 to 20", args[0])
	}
	j.plan.Requests = 1 << depth
	open := j.plan.Rate >= 1 && j.plan.Rate <= 1e6 // false for NaN
	if closed := j.command == "load" && j.plan.Rate == 0; !open && !closed {
		return fmt.Errorf("rate %v is not from 1 to 1000000", j.plan.Rate)
	}
	if j.command == "load" && (j.plan.Connections < 1 || j.plan.Connections > 1000) {
		return fmt.Errorf("%d connections; want 1 to 1000", j.plan.Connections)
	}
	return nil
}
