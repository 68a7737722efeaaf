package main

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
)

// flagLine is a flag in a help, with the word for its value.
var flagLine = regexp.MustCompile(`(?m)^  -([\w-]+)(?: (.+))?\n`)

// A flag of one name means one thing in all commands: it has a value in all of them or in none.
func TestOneFlagOneMeaning(t *testing.T) {
	type meaning struct{ command, value string }
	known := map[string]meaning{}
	var look func(all []command, before string)
	look = func(all []command, before string) {
		for _, c := range all {
			words := strings.TrimSpace(before + " " + c.name)
			var help bytes.Buffer
			_ = c.run(context.Background(), []string{"-help"}, &help, io.Discard) // which is flag.ErrHelp
			for _, m := range flagLine.FindAllStringSubmatch(help.String(), -1) {
				first, seen := known[m[1]]
				if !seen {
					known[m[1]] = meaning{words, m[2]}
				} else if (first.value == "") != (m[2] == "") {
					t.Errorf("-%s has the value %q in %s, and %q in %s", m[1], first.value, first.command, m[2], words)
				}
			}
			look(c.sub, words)
		}
	}
	look(table(), "")
	if len(known) < 60 {
		t.Errorf("only %d flags were found; is the help printed otherwise now?", len(known))
	}
}

// Each command of the table is in the help, and each says its own usage.
func TestEveryCommandHasHelp(t *testing.T) {
	text := help()
	for _, c := range table() {
		for _, f := range c.forms {
			if !strings.Contains(text, "coppice "+f.usage) {
				t.Errorf("coppice -help does not have %q", f.usage)
			}
		}
		for _, sub := range c.sub {
			var out bytes.Buffer
			_ = dispatch(context.Background(), []string{c.name, sub.name, "-help"}, &out, io.Discard)
			if !strings.Contains(out.String(), "coppice "+c.name+" "+sub.name) {
				t.Errorf("coppice %s %s -help prints %q", c.name, sub.name, &out)
			}
		}
	}
}
