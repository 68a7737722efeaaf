package remedies_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestSlabOfAStoredOwner verifies that an owner that others keep gets a slab only if the profile
// shows at least one owner per operation, so that the values of each belong to one result.
func TestSlabOfAStoredOwner(t *testing.T) {
	for instances, want := range map[float64]bool{-1: false, 0: false, 0.5: false, 1: true, 20: true} {
		c := open(t, "slab/refused-outlives")
		c.request.Sites[0].Facts.Owners[0].Instances = instances
		if _, err := change.Make(t.Context(), c.request); (err == nil) != want {
			t.Errorf("%v instances an operation: error %v", instances, err)
		}
	}
}

// TestSlabOfSmallOwners verifies that an owner gets no slab if each owner allocates only few
// values, even if the report proposes a slab.
func TestSlabOfSmallOwners(t *testing.T) {
	for _, name := range []string{"slab/simple", "slab/thread"} { // the owner is in scope, and is passed by callers
		for begun, want := range map[float64]bool{0: true, 1.1: true, 1e6: false} {
			c := open(t, name)
			for _, s := range c.request.Sites {
				for _, owners := range [][]site.Owner{s.Facts.Owners, s.Facts.Above} {
					for i := range owners {
						owners[i].Begun = begun
					}
				}
			}
			made, err := change.Make(t.Context(), c.request)
			if (err == nil && len(made.Done) > 0) != want {
				t.Errorf("%s: %v owners begin in an operation: error %v", name, begun, err)
			}
			if err != nil && !strings.Contains(err.Error(), "a slab pays from 50") {
				t.Errorf("%s: %v owners begin in an operation: error %v", name, begun, err)
			}
		}
	}
}

// TestSlabsJoin verifies that two changes of one package can be combined if they need different
// methods of the same generated type.
func TestSlabsJoin(t *testing.T) {
	c := open(t, "slab/kinds")
	all := c.request.Sites
	var both edits.Set
	for _, sites := range [][]*site.Site{all[:1], all[12:13]} {
		c.request.Sites = sites
		made, err := change.Make(t.Context(), c.request)
		if err != nil {
			t.Fatal(err)
		}
		if err := both.Add(&made.Edits); err != nil {
			t.Fatal(err)
		}
	}
	files, err := both.Apply()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c.passes(t, "after")
	written := string(files[filepath.Join(c.folder, "coppice_chunks.go")])
	if !strings.Contains(written, "Alloc(v T)") || !strings.Contains(written, "Make(n int)") || strings.Contains(written, "SliceOf(") {
		t.Errorf("the file has other methods than Alloc and Make:\n%s", written)
	}
}
