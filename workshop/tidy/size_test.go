package tidy

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLargeFolders verifies that each exempted folder has more files than the limit, and a reason.
func TestLargeFolders(t *testing.T) {
	for folder, why := range largeFolders {
		names, err := filepath.Glob(filepath.Join("../..", filepath.FromSlash(folder), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		names = slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
		if len(names) <= maxFolderFiles || why == "" {
			t.Errorf("%s has %d files, and the reason %q; take it out of largeFolders", folder, len(names), why)
		}
	}
}
