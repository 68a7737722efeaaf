package deephash

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEachPackageIsChosen verifies that the hash ignores the values of every package of the
// library, unless this test lists the package as counted. A new container package must be added to
// ignoredPackage or to this list.
func TestEachPackageIsChosen(t *testing.T) {
	counted := []string{"alloctest", "benchresult", "inline", "maptest", "metrics"}
	const root = "../../../.."
	sources, err := filepath.Glob(root + "/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, source := range sources {
		folder := filepath.Dir(source)
		name := filepath.Base(folder)
		if _, err := os.Stat(folder + "/go.mod"); err == nil && name != "flat" || seen[name] {
			continue // another module
		}
		seen[name] = true
		if ignoredPackage(deepLibrary+"/"+name) == slices.Contains(counted, name) {
			t.Errorf("package %s: left out is %v; it has to be in ignoredPackage, or in the list of this test", name, ignoredPackage(deepLibrary+"/"+name))
		}
	}
	if !seen["slab"] {
		t.Errorf("no package of the library is in %s", root)
	}
}
