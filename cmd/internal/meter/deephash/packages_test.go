package deephash

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Each package of the library is left out of results, unless it is one of those whose values count:
// a new container has to be one or the other.
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
