package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/nearest"
)

// Exit codes, as everywhere in Coppice.
const (
	exitOK      = 0
	exitFailure = 1 // the command failed
	exitUsage   = 2 // the arguments are invalid, or prove could not measure
)

// usualCodes says what the exit codes of most commands mean. It is part of their help.
const usualCodes = "exit code: 0 done; 1 it failed; 2 wrong arguments"

// codes has the exit codes of commands that say more by them.
var codes = map[string]string{
	"coppice find":  "exit code: 0 done; 1 with -gate, there are proposals; 2 wrong arguments, or it could not look",
	"coppice fix":   "exit code: 0 done; 1 it failed, or with -gate nothing was kept; 2 wrong arguments, or it could not measure",
	"coppice prove": "exit code: 0 keep or undecided; 1 revert, or with -gate no keep; 2 wrong arguments, or it could not measure",
	"coppice vet":   "exit code: 0 no findings; 1 findings, or a package that could not be read; 2 wrong arguments",
	"coppice flat":  "exit code: 0 done; 1 it failed, or with -check the files are out of date; 2 wrong arguments",
}

// usageError is an error in the arguments. Its text says how to correct them.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// parseFlags parses the flags of a command. They may stand before, between and after its other arguments, which flags.Args
// returns; after -- there are no flags. With -help it prints the usage, which ends in a new line, all flags and the exit codes,
// and returns flag.ErrHelp.
func parseFlags(flags *flag.FlagSet, usage string, args []string, stdout io.Writer) error {
	flags.SetOutput(io.Discard)
	err := flags.Parse(flagsFirst(flags, args))
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		fmt.Fprintf(stdout, "%s\n", cmp.Or(codes[flags.Name()], usualCodes))
		return err
	case err != nil:
		text := err.Error()
		if strings.HasPrefix(text, "invalid boolean value") {
			text = strings.TrimSuffix(text, "parse error") + "must be true or false"
		}
		return usagef("%s; %s%s -help lists the flags", text, misspelt(flags, err), flags.Name())
	}
	return nil
}

// flagsFirst moves flags before other arguments, for package flag, which stops at the first other one. Programs that prove
// compares, with ::: between them, have flags of their own; those stay where they are.
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

// takesNext reports whether the value of a flag is the argument after it. That of a flag that does not exist is none.
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

// misspelt returns a hint if an error is about a flag that is nearly one of these.
func misspelt(flags *flag.FlagSet, err error) string {
	_, name, unknown := strings.Cut(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return nearest.Hint("-"+strings.TrimPrefix(name, "-"), names)
}

// packages returns the packages that a command was given, or else the usual one. After -- a flag would be one.
func packages(flags *flag.FlagSet, usual string) ([]string, error) {
	for _, a := range flags.Args() {
		if strings.HasPrefix(a, "-") {
			return nil, usagef("%q stands after -- and is no package; put flags before it: %s %s", a, flags.Name(), a)
		}
	}
	if flags.NArg() == 0 {
		return []string{usual}, nil
	}
	return flags.Args(), nil
}

// nearCommand is an error if a word that stands where packages may stand is nearly a command of the command. Packages of the module
// begin with a dot, and the import paths of others have a slash.
func nearCommand(of, word string) error {
	if strings.ContainsAny(word, "./-") {
		return nil
	}
	if hint := nearest.Hint(word, subcommands(of)); hint != "" {
		return usagef("coppice %s has no %q; %sa package is named ./%s", of, word, hint, word)
	}
	return nil
}
