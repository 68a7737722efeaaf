package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime/debug"
)

// Exit codes, as everywhere in Coppice.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed
	exitUsage   = 2 // the arguments are invalid
)

const help = `coppice measures the cost of allocation strategies, finds misuse of its allocators, and generates flat trees.

usage: coppice lab                            the canonical run: a minute, one screen
       coppice lab list                       experiments, contenders and claims
       coppice lab run EXPERIMENT [flags]     one experiment; -help lists the flags
       coppice lab report DIR...              the report of saved results
       coppice vet [flags] [packages]         misuse visible in the source; -help lists the flags
       coppice vet list                       the rules
       coppice vet help RULE                  its reason, an example and its exceptions
       coppice flat [PACKAGE...]              a package of flat trees from Go declarations
       coppice flat dump FILE                 the nodes of a file of flat trees
       coppice version
`

// usageError is an error in the arguments. Its text says how to correct them.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errFindings):
		return exitFailure
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "coppice: %v\n", err)
		return exitUsage
	default:
		fmt.Fprintf(stderr, "coppice: %v\n", err)
		return exitFailure
	}
}

func dispatch(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		return usagef("no command given; try: coppice lab")
	}
	switch args[0] {
	case "lab":
		return lab(ctx, args[1:], stdout, stderr)
	case "vet":
		return vetting(ctx, args[1:], stdout, stderr)
	case "flat":
		return flatTrees(args[1:], stdout)
	case "version":
		_, err := fmt.Fprintln(stdout, "coppice", version())
		return err
	case "help", "-help", "--help", "-h":
		_, err := io.WriteString(stdout, help)
		return err
	default:
		return usagef("there is no command %q; coppice -help lists them", args[0])
	}
}

// version returns the version of the module that coppice was built from, or "(devel)" if it is unknown.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
