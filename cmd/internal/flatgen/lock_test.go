package flatgen

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
	"github.com/coppice-go/coppice/internal/flatlayout"
)

// version returns the schema text of version n, which has n fields.
func version(n int) string {
	text := fmt.Sprintf("flat 1\nversion %d\nroot R\nrecord R\n", n)
	for i := range n {
		text += fmt.Sprintf(" F%d int32\n", i)
	}
	return text
}

// TestLockKeepsAllVersions verifies that a schema knows all earlier versions in flat.lock, and that
// it is rejected if its version is older than the latest one.
func TestLockKeepsAllVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	if err := os.WriteFile(path, []byte(version(1)+"\n"+version(2)+"\n"+version(4)), 0o600); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]string{
		1: "has version 4, but the schema is version 1", 2: "has version 4, but the schema is version 2",
		3: "has version 4, but the schema is version 3", 4: "2 earlier", 5: "3 earlier", 9: "3 earlier",
	} {
		parsed, err := flatlayout.Parse(version(n))
		if err != nil {
			t.Fatal(err)
		}
		m := &schema.Model{Schema: parsed}
		got := ""
		if err := readLock(m, path); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%d earlier", len(m.Earlier))
		}
		if !strings.Contains(got, want) {
			t.Errorf("version %d: %s, want %s", n, got, want)
		}
	}
}
