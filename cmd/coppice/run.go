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

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// help returns the text that coppice -help prints.
func help() string {
	return `coppice finds where allocation costs a Go program time, makes the change that helps, and proves the gain.
It also finds misuse of its allocators, measures allocation strategies, and generates flat trees.

` + usageOf(table()) + `
Every command takes -h and -help. Flags may come before, between or after other arguments.
Progress is shown on capable terminals, without colours. Usage errors take one line.
exit code: 0 success; 1 failure, or a negative result; 2 usage error, or nothing could be measured
`
}

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := dispatch(ctx, args, stdout, stderr)
	var usage cli.UsageError
	var nothing unmeasured
	switch {
	case err == nil:
		return cli.ExitOK
	case errors.Is(err, flag.ErrHelp):
		return cli.ExitOK
	case errors.Is(err, errFindings), errors.Is(err, errRevert), errors.Is(err, errProposals), errors.Is(err, errByHand):
		return cli.ExitFailure
	case errors.As(err, &usage), errors.As(err, &nothing):
		fmt.Fprintf(stderr, "coppice: %v\n", err)
		return cli.ExitUsage
	default:
		fmt.Fprintf(stderr, "coppice: %v\n", err)
		return cli.ExitFailure
	}
}

// helping implements coppice help. It prints the help text of a command or topic, or the text of
// coppice -help if none is named.
func helping(ctx context.Context, command []string, stdout, stderr io.Writer) error {
	if len(command) == 0 || strings.HasPrefix(command[0], "-") || command[0] == "help" {
		_, err := io.WriteString(stdout, help())
		return err
	}
	if len(command) > 1 && command[0] == "remedy" {
		text, err := remedyPage(command[1])
		if err == nil {
			_, err = io.WriteString(stdout, text)
		}
		return err
	}
	if t := topicNamed(command[0]); t != nil {
		_, err := io.WriteString(stdout, t.text())
		return err
	}
	if _, alias := aliases[command[0]]; !alias && named(table(), command[0]) == nil {
		hint := nearest.Hint(command[0], append(names(table()), topicNames()...))
		return cli.Usagef("unknown command or topic %q; %scoppice -help lists them", command[0], hint)
	}
	return dispatch(ctx, append(slices.Clone(command), "-help"), stdout, stderr)
}

// printHelp prints the help text of a command that has subcommands.
func printHelp(name string, stdout io.Writer) error {
	_, err := fmt.Fprintf(stdout, "%s\ncoppice %s COMMAND -help lists the flags of a command.\n%s\n", usageOf([]command{*named(table(), name)}), name, cli.UsualCodes)
	return err
}

// printVersion prints the version.
func printVersion(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("coppice version", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "print one JSON object, which includes the Go version")
	if err := cli.ParseFlags(flags, "usage: coppice version [-json]\n", args, stdout); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return cli.Usagef("coppice version takes no arguments, got %q", flags.Arg(0))
	}
	if *asJSON {
		return cli.WriteJSON(stdout, map[string]string{"version": version(), "go": runtime.Version()})
	}
	_, err := fmt.Fprintln(stdout, "coppice", version())
	return err
}

// version returns the version of the module from which coppice was built, or "(devel)" if the
// version is unknown.
func version() string {
	if build, ok := debug.ReadBuildInfo(); ok && build.Main.Version != "" {
		return build.Main.Version
	}
	return "(devel)"
}
