package tidy

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestAllowancesAreNeeded verifies that an allowance for a function that does not need it is
// reported, so that the lists stay minimal.
func TestAllowancesAreNeeded(t *testing.T) {
	tree, err := Read(fstest.MapFS{"workshop/tidy/allowed.go": {Data: []byte("package tidy\n")}})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, one := range append(choicesAllowed, longListsAllowed...) {
		want += len(one.names)
		if one.why == "" {
			t.Errorf("%q are allowed for no reason", one.names)
		}
	}
	all := append(choices(tree), longLists(tree)...)
	for _, c := range all {
		if !strings.HasSuffix(c.Text, "needs no allowance; take it out") {
			t.Error(c)
		}
	}
	if len(all) != want {
		t.Errorf("%d complaints, want %d", len(all), want)
	}
}
