package prose_test

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/prose"
)

func TestUnwrap(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"a chunk has\n65,536  bytes\r\n":      "a chunk has 65,536 bytes",
		"\t// a chunk has\n\t// 65,536 bytes": "a chunk has 65,536 bytes",
		"//\n// a // b\n- c\n  d":             "a // b - c d",
	} {
		if got := prose.Unwrap(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
