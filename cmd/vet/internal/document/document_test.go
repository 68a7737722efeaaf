package document_test

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/vet/internal/document"
)

const whole = `
name = "rule"
title = "a mistake"
why = "It hurts."
before = "wrong()"
after = "right()"
except = ["in tests"]
[[count]]
code = "std"
findings = 3
read = 2
false = 1
note = "Seen."
`

func TestDocIsComplete(t *testing.T) {
	const want = "a mistake\n\nIt hurts.\n\nBefore:\n\n\twrong()\n\nAfter:\n\n\tright()\n\n" +
		"When not to follow it, and what it does not detect:\n\n  - in tests\n\n" +
		"What it found elsewhere:\n\n  - std: 3 reports, 2 read, 1 of them false. Seen."
	if got := document.MustParse([]byte(whole)).Doc(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestIncompleteDocumentsPanic(t *testing.T) {
	for _, text := range []string{
		strings.Replace(whole, `why = "It hurts."`, "", 1),
		strings.Replace(whole, "before", "befor", 1),
		"name",
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.HasPrefix(said, "document.MustParse: ") {
					t.Errorf("no panic, or another: %q, for %s", said, text)
				}
			}()
			document.MustParse([]byte(text))
		}()
	}
}
