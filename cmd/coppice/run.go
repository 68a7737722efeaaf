package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

const help = `coppice finds where allocation costs a program time and which remedy fits, makes the change, and proves whether it
helped. It measures the cost of allocation strategies, finds misuse of its allocators, and generates flat trees.

usage: coppice lab                            the canonical run: a minute, one screen
       coppice lab list                       experiments, contenders and claims
       coppice lab run EXPERIMENT [flags]     one experiment; -help lists the flags
       coppice lab plan EXPERIMENT [flags]    divides a sweep into shards for many machines, with scripts for Slurm and Kubernetes
       coppice lab run -shard DIR/NUMBER      one of them
       coppice lab measure LIST               many experiments, one after the other; a second start goes on
       coppice lab report DIR...              the report of saved results
       coppice lab index DIR                  one page over the results in the folders of DIR
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
       coppice completion SHELL               a script that completes coppice in bash, zsh, fish or powershell
       coppice version

Every command takes -h and -help, and flags before, between or after its other arguments. A bar shows progress on a
terminal that is not dumb, and nothing is coloured. Wrong arguments are one line.
exit code: 0 done; 1 it failed, or the answer is no; 2 wrong arguments, or it could not measure
`

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
		return started(stdout)
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
	case "completion":
		return completion(args[1:], stdout)
	case "version", "-version", "--version":
		return printVersion(args[1:], stdout)
	case "help", "-help", "--help", "-h":
		return helping(ctx, args[1:], stdout, stderr)
	default:
		return usagef("there is no command %q; %scoppice -help lists them", args[0], nearest.Hint(args[0], commandNames("")))
	}
}

// helping prints the help of a command, or that of all.
func helping(ctx context.Context, command []string, stdout, stderr io.Writer) error {
	switch {
	case len(command) == 0 || strings.HasPrefix(command[0], "-") || command[0] == "help":
		_, err := io.WriteString(stdout, help)
		return err
	default:
		return dispatch(ctx, append(slices.Clone(command), "-help"), stdout, stderr)
	}
}

// printHelp prints what the help says of one command that has several.
func printHelp(command string, stdout io.Writer) error {
	var out strings.Builder
	lead := "usage: "
	for line := range strings.Lines(help) {
		if text := strings.TrimPrefix(strings.TrimPrefix(line, "usage: "), "       "); text != line && strings.HasPrefix(text, "coppice "+command) {
			out.WriteString(lead + text)
			lead = "       "
		}
	}
	fmt.Fprintf(&out, "\ncoppice %s COMMAND -help lists the flags of one.\n%s\n", command, usualCodes)
	_, err := io.WriteString(stdout, out.String())
	return err
}

// printVersion prints the version.
func printVersion(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice version", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print one JSON object, with the version of Go")
	if err := parseFlags(flags, "usage: coppice version [-json]\n", args, stdout); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return usagef("coppice version takes no arguments, got %q", flags.Arg(0))
	}
	if *asJSON {
		return writeJSON(stdout, map[string]string{"version": version(), "go": runtime.Version()})
	}
	_, err := fmt.Fprintln(stdout, "coppice", version())
	return err
}

// version returns the version of the module that coppice was built from, or "(devel)" if it is unknown.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
