package process

import "testing"

func TestComplaintIsFirstInformativeLine(t *testing.T) {
	for text, want := range map[string]string{
		"# example.com/a\n./a.go:1:1: no\nmore\n": "./a.go:1:1: no",
		"\nno\n": "no",
		"go: error loading go.work:\n\tgo.work:5: twice\nmore\n": "go: error loading go.work: go.work:5: twice",
		"a:\n": "a:",
		"":     "no error output",
	} {
		if got := complaint([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
