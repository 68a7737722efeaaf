package remedies_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// folder has those of the remedies.
const folder = ".."

func TestEveryRemedyHasItsFolder(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder, "*", "remedy.toml"))
	if err != nil || len(files) != len(remedies.All()) {
		t.Errorf("%d folders have a remedy.toml, and there are %d remedies: %v", len(files), len(remedies.All()), err)
	}
	for _, r := range remedies.All() {
		name := strings.ReplaceAll(string(r.Name), "-", "")
		if _, err := os.Stat(filepath.Join(folder, name, "remedy.toml")); err != nil || remedies.Of(r.Name) != r {
			t.Errorf("%s must be the only one of its name, in the folder %s: %v", r.Name, name, err)
		}
		if (r.Title == "") != (r.Name == site.Leave) {
			t.Errorf("%s has the title %q", r.Name, r.Title)
		}
	}
	if r := remedies.Of("none"); r != nil {
		t.Errorf("none is %+v", r)
	}
}
