package process

import "testing"

func TestComplaintIsFirstInformativeLine(t *testing.T) {
	for text, want := range map[string]string{
		"# example.com/a\n./a.go:1:1: no\nmore\n": "./a.go:1:1: no",
		"\nno\n": "no",
		"":       "no error output",
	} {
		if got := complaint([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
