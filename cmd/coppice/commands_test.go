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

// eachCommand calls look for every command in all and for every subcommand. The argument words is
// the full command name, such as "lab run".
func eachCommand(all []command, before string, look func(words string, c command)) {
	for _, c := range all {
		words := strings.TrimSpace(before + " " + c.name)
		look(words, c)
		eachCommand(c.sub, words, look)
	}
}

// TestOneFlagOneMeaning verifies that a flag name never takes a value in one command and none in
// another.
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

// withoutManual lists the commands that need no manual, because their help is sufficient.
var withoutManual = []string{"completion", "version", "help"}

// manualLine matches a row in the table of manuals in docs/COMMANDS.md. linked matches a link to a
// manual in such a row.
var (
	manualLine = regexp.MustCompile("(?m)^\\| `coppice (\\w+)` \\| (.*) \\|$")
	linked     = regexp.MustCompile(`\]\((\w+\.md)\)`)
)

// TestOneFlagOneManual verifies that every command is in the table of manuals, and that every flag
// is documented, either in one of the command's manuals or in docs/COMMANDS.md, which describes the
// flags that all commands share.
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

// TestEveryCommandHasHelp verifies that coppice -help prints the usage of every command, and that
// the help of a command names that command.
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
