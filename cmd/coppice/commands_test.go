package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// eachCommand calls look with each command and its words.
func eachCommand(all []command, before string, look func(words string, c command)) {
	for _, c := range all {
		words := strings.TrimSpace(before + " " + c.name)
		look(words, c)
		eachCommand(c.sub, words, look)
	}
}

// A flag of one name means one thing in all commands: it has a value in all of them or in none.
func TestOneFlagOneMeaning(t *testing.T) {
	type meaning struct {
		command string
		value   bool
	}
	known := map[string]meaning{}
	eachCommand(table(), "", func(words string, c command) {
		for _, f := range flagsOf(c) {
			if first, seen := known[f.name]; !seen {
				known[f.name] = meaning{words, f.value}
			} else if first.value != f.value {
				t.Errorf("-%s has a value in coppice %s: %v, and in coppice %s: %v", f.name, first.command, first.value, words, f.value)
			}
		}
	})
	if len(known) < 60 {
		t.Errorf("only %d flags were found; is the help printed otherwise now?", len(known))
	}
}

// withoutManual are the commands that their help is enough for.
var withoutManual = []string{"completion", "version", "help"}

// manualLine matches a row of the table of manuals in docs/COMMANDS.md, and linked a manual of it.
var (
	manualLine = regexp.MustCompile("(?m)^\\| `coppice (\\w+)` \\| (.*) \\|$")
	linked     = regexp.MustCompile(`\]\((\w+\.md)\)`)
)

// Each command is in the table of manuals, and each of its flags is in one of those manuals, or in
// docs/COMMANDS.md, which has what flags of all commands mean.
func TestOneFlagOneManual(t *testing.T) {
	text := func(name string) string {
		data, err := os.ReadFile("../../docs/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	general := text("COMMANDS.md")
	manuals := map[string]string{}
	for _, m := range manualLine.FindAllStringSubmatch(general, -1) {
		manuals[m[1]] = general
		for _, l := range linked.FindAllStringSubmatch(m[2], -1) {
			manuals[m[1]] += text(l[1])
		}
	}
	eachCommand(table(), "", func(words string, c command) {
		name, _, _ := strings.Cut(words, " ")
		if slices.Contains(withoutManual, name) {
			return
		}
		if manuals[name] == "" {
			t.Errorf("the table of docs/COMMANDS.md has no manual for coppice %s", name)
			return
		}
		for _, f := range flagsOf(c) {
			if !regexp.MustCompile(`[^\w-]-` + f.name + `\b`).MatchString(manuals[name]) {
				t.Errorf("no manual of coppice %s has -%s; docs/COMMANDS.md lists them", words, f.name)
			}
		}
	})
}

// The help of each command fits on a screen.
func TestHelpFitsOnAScreen(t *testing.T) {
	const mostLines, mostColumns = 40, 120
	eachCommand(table(), "", func(words string, _ command) {
		var out bytes.Buffer
		_ = dispatch(context.Background(), append(strings.Fields(words), "-help"), &out, io.Discard)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) > mostLines {
			t.Errorf("coppice %s -help has %d lines, more than %d; shorten it", words, len(lines), mostLines)
		}
		for _, line := range lines {
			if n := len([]rune(line)); n > mostColumns {
				t.Errorf("coppice %s -help has a line of %d columns, more than %d; shorten it: %s", words, n, mostColumns, line)
			}
		}
	})
}

// Each command of the table is in the help, and each says its own usage.
func TestEveryCommandHasHelp(t *testing.T) {
	text := help()
	eachCommand(table(), "", func(words string, c command) {
		for _, f := range c.forms {
			if !strings.Contains(text, "coppice "+f.usage) {
				t.Errorf("coppice -help does not have %q", f.usage)
			}
		}
		var out bytes.Buffer
		_ = dispatch(context.Background(), append(strings.Fields(words), "-help"), &out, io.Discard)
		if words != "help" && !strings.Contains(out.String(), "coppice "+words) {
			t.Errorf("coppice %s -help prints %q", words, &out)
		}
	})
}
