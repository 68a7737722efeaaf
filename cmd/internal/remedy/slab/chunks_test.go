package slab

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/internal/testkit/prose"
	"github.com/coppice-go/coppice/slab"
)

// TestChunksAreThoseOfSlab verifies that the prediction assumes the same chunks that slab.Chunks
// allocates.
func TestChunksAreThoseOfSlab(t *testing.T) {
	compareChunks[[8]byte](t, 8)
	compareChunks[[24]byte](t, 24)
	compareChunks[[104]byte](t, 104)
	compareChunks[[1000]byte](t, 1000)
	compareChunks[[8000]byte](t, 8000)
}

func compareChunks[T any](t *testing.T, size int) {
	t.Helper()
	for _, values := range []int{1, 7, 60, 500, 5000} {
		want := 0
		for slots := 0; slots < values; want++ {
			slots += chunkrule.Length(uint(slots), size)
		}
		got := math.Inf(1) // the minimum of several counts, because the runtime allocates too
		for range 10 {
			got = min(got, testing.AllocsPerRun(1, func() {
				var c slab.Chunks[T]
				for range values {
					c.New()
				}
			}))
		}
		if int(got) != want {
			t.Errorf("%d values of %d bytes: a Chunks makes %v chunks, and %d are predicted", values, size, got, want)
		}
	}
}

func TestSlabBytes(t *testing.T) {
	for _, test := range []struct {
		values float64
		size   int
		want   float64
	}{
		{1, 100, 100},
		{0.2, 100, 100},         // at least one value
		{3, 24, (3 + 0.5) * 24}, // chunks of 1, 1 and 2 slots; on average, half of the last is free
		{60, 24, (60 + 4.5) * 24},
	} {
		if got := slabBytes(test.values, test.size); got != test.want {
			t.Errorf("%v values of %d bytes take %v, want %v", test.values, test.size, got, test.want)
		}
	}
}

// root is the root folder of the repository.
const root = "../../../.."

// TestDocumentsStateLongestChunk verifies the length of the longest chunk in the documentation,
// which cannot compute it.
func TestDocumentsStateLongestChunk(t *testing.T) {
	for file, times := range map[string]int{"slab/chunks.go": 2, "README.md": 1, "docs/FIX.md": 1, "docs/remedies/slab.md": 1} {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(prose.Unwrap(string(data)), longest()); n != times {
			t.Errorf("%s says %d times that the longest chunk has %s, want %d", file, n, longest(), times)
		}
	}
}

// TestChunkRuleIsDefinedOnce verifies that the chunk sizes are defined only in package chunkrule,
// and that the tools do not repeat the length of the longest chunk.
func TestChunkRuleIsDefinedOnce(t *testing.T) {
	first := strconv.Itoa(int(chunkrule.Sizes[0])) + ", " + strconv.Itoa(int(chunkrule.Sizes[1]))
	for _, folder := range []string{"slab", "arena", "internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "chunkrule"):
				return filepath.SkipDir
			case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			data, err := os.ReadFile(name)
			if strings.Contains(string(data), first) || folder == "cmd" && strings.Contains(string(data), longest()) {
				t.Errorf("%s has a number of the rule for chunks; ask package chunkrule for it", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
