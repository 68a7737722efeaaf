// Package cli contains the code that the commands of coppice share: it parses flags, reports usage
// errors, and writes output.
package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// These exit codes are used throughout Coppice.
const (
	ExitOK      = 0
	ExitFailure = 1 // the command failed
	ExitUsage   = 2 // the arguments are invalid, or prove could not measure
)

// UsualCodes describes the exit codes of most commands. It is part of their help.
const UsualCodes = "exit code: 0 success; 1 failure; 2 usage error"

// codes describes the exit codes of the commands that do not use UsualCodes.
var codes = map[string]string{
	"coppice find":    "exit code: 0 success; 1 proposals, with -gate; 2 usage error, or nothing could be measured",
	"coppice fix":     "exit code: 0 success; 1 failure, or with -gate nothing kept; 2 usage error, or nothing could be measured",
	"coppice prove":   "exit code: 0 keep or undecided; 1 revert, or with -gate not keep; 2 usage error, or nothing could be measured",
	"coppice vet":     "exit code: 0 no findings; 1 findings, or unreadable packages; 2 usage error",
	"coppice flat":    "exit code: 0 success; 1 failure, or with -check outdated files; 2 usage error",
	"coppice migrate": "exit code: 0 success; 1 changes to make by hand, or code that does not compile; 2 usage error",
}

// A CommandCodes contains a command and the description of its exit codes.
type CommandCodes struct{ Command, Codes string }

// Codes returns the exit codes of the commands that do not use UsualCodes, sorted by command.
func Codes() (all []CommandCodes) {
	for _, name := range slices.Sorted(maps.Keys(codes)) {
		all = append(all, CommandCodes{name, codes[name]})
	}
	return all
}

// UsageError is an error in the command-line arguments. Its message states how to correct them.
type UsageError struct{ error }

// Usage marks err as an error in the command-line arguments.
func Usage(err error) error { return UsageError{err} }

// Usagef returns a UsageError with a formatted message.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// ParseFlags parses the flags of a command. Flags may come before, between and after the other
// arguments, which flags.Args returns. Arguments after -- are not parsed as flags. With -help,
// ParseFlags prints the usage, which must end in a newline, all flags and the exit codes, and
// returns flag.ErrHelp.
func ParseFlags(flags *flag.FlagSet, usage string, args []string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(flagsFirst(flags, args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		printFlags(flags, stdout)
		fmt.Fprintf(stdout, "%s\n", cmp.Or(codes[flags.Name()], UsualCodes))
		return err
	case err != nil:
		text := err.Error()
		if strings.HasPrefix(text, "invalid boolean value") {
			text = strings.TrimSuffix(text, "parse error") + "must be true or false"
		}
		return Usagef("%s; %s%s -help lists the flags", text, misspelt(flags, err), flags.Name())
	}
	return nil
}

// printFlags lists the flags, one per line, so that the help of a command fits on a screen. Package
// flag uses two lines for each flag.
func printFlags(flags *flag.FlagSet, out io.Writer) {
	var rows [][2]string
	width := 0
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		name := strings.TrimSpace("-" + f.Name + " " + value)
		if !slices.Contains([]string{"", "0", "0s", "false"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		rows = append(rows, [2]string{name, usage})
		width = max(width, len(name))
	})
	for _, r := range rows {
		fmt.Fprintf(out, "  %-*s  %s\n", width, r[0], r[1])
	}
}

// flagsFirst moves flags before other arguments, because package flag stops at the first argument
// that is not a flag. If the arguments contain :::, which separates the programs that prove
// compares, their order does not change, because these programs have their own flags.
func flagsFirst(flags *flag.FlagSet, args []string) []string {
	if slices.Contains(args, ":::") {
		return args
	}
	var first, others []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			others = append(others, args[i+1:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' {
			others = append(others, a)
			continue
		}
		first = append(first, a)
		if !takesNext(flags, a) {
			continue
		}
		if i++; i == len(args) {
			return first // its value is missing, which package flag says
		}
		first = append(first, args[i])
	}
	return slices.Concat(first, []string{"--"}, others)
}

// takesNext reports whether a flag takes its value from the next argument. An unknown flag has no
// value.
func takesNext(flags *flag.FlagSet, argument string) bool {
	name := strings.TrimPrefix(strings.TrimPrefix(argument, "-"), "-")
	if strings.Contains(name, "=") {
		return false
	}
	f := flags.Lookup(name)
	if f == nil {
		return false
	}
	isBool, ok := f.Value.(interface{ IsBoolFlag() bool })
	return !ok || !isBool.IsBoolFlag()
}

// misspelt returns a hint if err reports an unknown flag whose name is close to the name of a known
// flag.
func misspelt(flags *flag.FlagSet, err error) string {
	_, name, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return nearest.Hint("-"+strings.TrimPrefix(name, "-"), names)
}

// Packages returns the packages in the arguments of a command, or the value of usual if there are
// none. A flag after -- is an error, because it would otherwise be mistaken for a package.
func Packages(flags *flag.FlagSet, usual string) ([]string, error) {
	for _, a := range flags.Args() {
		if strings.HasPrefix(a, "-") {
			return nil, Usagef("invalid package %q after --: put flags before --, as in %s %s", a, flags.Name(), a)
		}
	}
	if flags.NArg() == 0 {
		return []string{usual}, nil
	}
	return flags.Args(), nil
}
