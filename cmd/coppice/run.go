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
	exitUsage   = 2 // the arguments are invalid, or prove could not measure
)

const help = `coppice finds where allocation costs a program time and which remedy fits, makes the change, and proves whether it
helped. It measures the cost of allocation strategies, finds misuse of its allocators, and generates flat trees.

usage: coppice lab                            the canonical run: a minute, one screen
       coppice lab list                       experiments, contenders and claims
       coppice lab run EXPERIMENT [flags]     one experiment; -help lists the flags
       coppice lab plan EXPERIMENT [flags]    divides a sweep into shards for many machines, with scripts for Slurm and Kubernetes
       coppice lab run -shard DIR/NUMBER      one of them
       coppice lab report DIR...              the report of saved results
       coppice lab diff BASE HEAD             saved results before and after a change, in two folders
       coppice lab merge DIR...               results of several machines: how far do they agree?
       coppice lab export -out FILE DIR...    a row for each run, as a Parquet table
       coppice find [PACKAGE...]              does allocation cost anything, where, and which remedy?
       coppice find -heap FILE|DIR|URL        the same from profiles that exist, a fleet's too
       coppice fix [PACKAGE...]               find, change and prove; writes patches of what helped
       coppice fix -apply                     makes the changes that were kept
       coppice prove -base REV [PACKAGE...]   did a change help? Go benchmarks, before and after; -help lists the forms
       coppice prove -- ./old ::: ./new       the same for any commands
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

// parseFlags parses the flags of a command. With -help it prints the usage, which ends in a new line, and all flags, and
// returns flag.ErrHelp.
func parseFlags(flags *flag.FlagSet, usage string, args []string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return err
	case err != nil:
		return usagef("%v; %s -help lists the flags", err, flags.Name())
	}
	return nil
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	var usage usageError
	var nothing unmeasured
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errFindings), errors.Is(err, errRevert), errors.Is(err, errProposals):
		return exitFailure
	case errors.As(err, &usage), errors.As(err, &nothing):
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
	case "find":
		return finding(ctx, args[1:], stdout, stderr)
	case "fix":
		return fixing(ctx, args[1:], stdout, stderr)
	case "prove":
		return proving(ctx, args[1:], stdout, stderr)
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
