package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestVetReportsCopies verifies that go vet reports a copy of a struct that contains a NoCopy, in a
// different package.
func TestVetReportsCopies(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	copies := filepath.Join(t.TempDir(), "copies.go")
	err = os.WriteFile(copies, []byte(`package copies

import (
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

func all(s *slab.Slab[int], a *arena.Arena, r *store.Store[int], h *store.Handles[int], w *store.Writer[int]) {
	s2, a2, r2, h2, w2 := *s, *a, *r, *h, *w
	_, _, _, _, _ = &s2, &a2, &r2, &h2, &w2
}
`), 0o666)
	if err != nil {
		t.Fatal(err)
	}
	vet := exec.Command("go", "vet", "-copylocks", copies)
	vet.Dir = root
	said, err := vet.CombinedOutput()
	if err == nil {
		t.Error("vet has nothing against the copies")
	}
	for _, name := range []string{"slab.Slab[int]", "arena.Arena", "store.Store[int]", "store.Handles[int]", "store.Writer[int]"} {
		if !strings.Contains(string(said), name+" contains") {
			t.Errorf("vet says nothing of %s:\n%s", name, said)
		}
	}
}
