package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// Exit codes, as everywhere in Coppice.
const (
	exitOK      = 0
	exitFailure = 1 // the program could not do what was asked
	exitUsage   = 2 // what was asked makes no sense
)

const help = `coppice measures what ways to allocate cost, finds misuse of its allocators, and compiles flat trees.

usage: coppice lab                            the canonical run: a minute, one screen
       coppice lab list                       experiments, contenders and claims
       coppice lab run EXPERIMENT [flags]     one experiment; -help lists the flags
       coppice lab report DIR...              results again, without running anything
       coppice vet [flags] [packages]         misuse that the source shows; -help lists the flags
       coppice vet list                       the rules
       coppice vet help RULE                  why, before and after, when not to follow
       coppice flat [PACKAGE...]              a package of flat trees from Go declarations
       coppice flat dump FILE                 the nodes of a file of flat trees
       coppice version
`

// usageError is a mistake in the arguments; its text says what to do instead.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is the program: it returns the exit code.
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
		_, err := fmt.Fprintln(stdout, "coppice (development)")
		return err
	case "help", "-help", "--help", "-h":
		_, err := io.WriteString(stdout, help)
		return err
	default:
		return usagef("there is no command %q; coppice -help lists them", args[0])
	}
}
