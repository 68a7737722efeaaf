package reach

import (
	"strings"
	"testing"
)

// TestCollected verifies which values lead to a value that the collector closes.
func TestCollected(t *testing.T) {
	m, err := module()
	if err != nil {
		t.Fatal(err)
	}
	declared := scope(t, m, "example.com/m/closes")
	for name, want := range map[string]string{
		"file": "a file by the field f", "behind": "a file by the field f", "process": "a process", "connection": "a connection by the field c",
		"listener": "a file or a connection", "buffered": "a file or a connection", "known": "", "knownFile": "a file by the field r",
		"standard": "", "something": "a file by the field f", "other": "", "asked": "", "literal": "a file by the field read", "method": "a file by the field name",
		"plain": "", "generic": "a file by the field f", "list": "a file by the field f", "fails": "", "node": "",
	} {
		if got := m.collected(declared.Lookup(name).Type()); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
