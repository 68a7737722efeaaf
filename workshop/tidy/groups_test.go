package tidy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestGroups verifies that the table of groups names existing groups and has no cycle.
func TestGroups(t *testing.T) {
	below := map[string]bool{}
	var visit func(group string, above []string)
	visit = func(group string, above []string) {
		if slices.Contains(above, group) {
			t.Errorf("group %s is part of a cycle: %q", group, above)
			return
		}
		for _, next := range onlyFrom[group] {
			visit(next, append(above, group))
		}
		below[group] = true
	}
	for group := range onlyFrom {
		visit(group, nil)
		if _, err := os.Stat(filepath.Join("../..", toolGroups, group)); err != nil {
			t.Errorf("%v; take the group out of the table", err)
		}
	}
	for group := range below {
		if _, ok := onlyFrom[group]; !ok {
			t.Errorf("group %s is no row of the table", group)
		}
	}
}
