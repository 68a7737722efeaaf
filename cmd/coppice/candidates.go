package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/lab"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/cmd/vet"
)

// fixed lists the allowed values of each flag that accepts only a few values. They are the same in
// all commands.
var fixed = map[string][]string{
	"-goal":  metric.Goals(),
	"-class": experiment.Classes,
	"-equal": {"tests", "dependants", "race", "results", "output", "none"},
}

// candidates returns the completions that are possible for the last word of a command line, given
// the words before it. The caller selects the completions that begin with the last word. The result
// does not contain file names, because the shell completes them itself.
func candidates(before []string, last string) []string {
	c, rest := resolve(before)
	if c == nil {
		return names(table())
	}
	previous := ""
	if len(rest) > 0 && strings.HasPrefix(rest[len(rest)-1], "-") {
		previous = "-" + strings.TrimLeft(rest[len(rest)-1], "-")
	}
	known := flagsOf(*c)
	switch i := slices.IndexFunc(known, func(f flagOf) bool { return "-"+f.name == previous }); {
	case i >= 0 && known[i].value:
		return values(previous, rest, last)
	case strings.HasPrefix(last, "-"):
		all := []string{"-help"}
		for _, f := range known {
			all = append(all, "-"+f.name)
		}
		return all
	case c.name == "help" && len(rest) == 1 && rest[0] == "remedy":
		return remedyNames()
	case len(operands(known, rest)) > 0:
		return nil
	case c.words != nil:
		return c.words()
	case len(rest) == 0:
		return names(c.sub)
	}
	return nil
}

// A flagOf describes a flag that is listed in a command's help text.
type flagOf struct {
	name  string
	value bool // whether the flag takes a value
}

var helpLine = regexp.MustCompile(`(?m)^  -([\w-]+)(?: (\w\S*))?(?:  .*)?$`)

// flagsOf returns the flags of a command. It extracts them from the help text of the command, so
// that each flag is defined in only one place.
func flagsOf(c command) (all []flagOf) {
	var help bytes.Buffer
	_ = c.run(context.Background(), []string{"-help"}, &help, io.Discard) // the error is flag.ErrHelp
	for _, m := range helpLine.FindAllStringSubmatch(help.String(), -1) {
		all = append(all, flagOf{m[1], m[2] != ""})
	}
	return all
}

// operands returns the arguments in rest that are neither flags nor values of flags.
func operands(known []flagOf, rest []string) (all []string) {
	for i := 0; i < len(rest); i++ {
		name, isFlag := strings.CutPrefix(rest[i], "-")
		if !isFlag {
			all = append(all, rest[i])
			continue
		}
		if slices.Contains(known, flagOf{strings.TrimPrefix(name, "-"), true}) {
			i++
		}
	}
	return all
}

// values returns the possible completions for the value of a flag. If the value is a
// comma-separated list, values completes the last name of the list.
func values(flag string, rest []string, last string) []string {
	switch flag {
	case "-bench":
		return benchmarkNames(rest)
	case "-base":
		return trees.Refs(context.Background(), ".")
	case "-baseline":
		return lab.ContenderNames(rest)
	case "-contenders":
		return afterComma(last, lab.ContenderNames(rest))
	case "-rules":
		return afterComma(last, ruleNames())
	case "-equal":
		return afterComma(last, fixed[flag])
	}
	return fixed[flag]
}

// afterComma returns the completions of a comma-separated list whose last name is incomplete. Each
// completion consists of the complete names in last, followed by one of the given names; names that
// are already in the list are omitted.
func afterComma(last string, names []string) (all []string) {
	lead := last[:strings.LastIndex(last, ",")+1]
	for _, name := range names {
		if !slices.Contains(strings.Split(lead, ","), name) {
			all = append(all, lead+name)
		}
	}
	return all
}

// benchmarkNames returns the names of the benchmarks in the packages that a command line names. If
// there are none, it returns the benchmarks in the current folder. If this folder has none either,
// it returns the benchmarks in the folders below it.
func benchmarkNames(rest []string) (names []string) {
	for _, word := range rest {
		if strings.HasPrefix(word, ".") {
			names = append(names, benchmarks(word)...)
		}
	}
	for _, pattern := range []string{".", "./..."} {
		if len(names) == 0 {
			names = benchmarks(pattern)
		}
	}
	return names
}

func ruleNames() (names []string) {
	for _, r := range vet.Rules() {
		names = append(names, r.Name)
	}
	return names
}
