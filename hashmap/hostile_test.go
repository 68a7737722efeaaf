package hashmap

import (
	"encoding/binary"
	"errors"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/vmem"
)

func container[K comparable, V any](o Options) damage.Container {
	return damage.Container{Invalid: ErrInvalid, Mismatch: ErrMismatch,
		Open: func(path string) error { return closed(OpenFile[K, V](path, o)) }}
}

// What is not a map's file, or one of other types, gets an error of the kind that the documents name.
func TestKindsOfFiles(t *testing.T) {
	path, other := saved(t, 500, text, uint64(1)), saved(t, 500, number, uint64(1))
	damage.Kinds(t, path, other, container[string, uint64](Options{}))
	damage.Kinds(t, path, other, container[string, uint64](Options{Verify: true}))
	elsewhere := filepath.Join(t.TempDir(), "other")
	if err := image.Save(elsewhere, image.Header{Kind: "other"}); err != nil {
		t.Fatal(err)
	}
	damage.Kinds(t, path, elsewhere, container[string, uint64](Options{}))
}

// A file that has a hole in the place of terabytes is refused, or opens and costs what is looked at.
func TestHolesInFiles(t *testing.T) {
	path := saved(t, 500, number, uint64(1))
	hole := filepath.Join(t.TempDir(), "hole")
	for name, c := range map[string]struct {
		sizes map[int]uint64
		err   error
	}{
		"a list without pages":   {map[int]uint64{2: 8 << 40}, ErrInvalid},
		"a list and pages":       {map[int]uint64{0: 4 << 40, 2: 4 << 40}, ErrInvalid},
		"a list of few zeros":    {map[int]uint64{0: 4 << 40, 2: 64 << 20}, ErrInvalid},
		"pages without a list":   {map[int]uint64{0: 4 << 40}, ErrInvalid},
		"texts":                  {map[int]uint64{1: 4 << 40}, ErrInvalid},
		"pages and no list":      {map[int]uint64{0: 4 << 40, 2: 0}, ErrInvalid},
		"a list that is not one": {map[int]uint64{2: 1<<40 + 1}, ErrInvalid},
	} {
		damage.Holes(t, path, hole, c.sizes)
		for _, o := range []Options{{}, {Verify: true}} {
			if err := container[uint64, uint64](o).Open(hole); !errors.Is(err, c.err) && !vmem.GoMemory {
				t.Errorf("%s: %v, want %v", name, err, c.err)
			}
		}
	}
}

// A page beyond the size that pages have is looked at when its file is opened: All would copy it at once, and it may be a hole.
func TestLargePagesOfFilesAreVerified(t *testing.T) {
	path := saved(t, 500, number, uint64(1))
	h, _ := sections[uint64, uint64](t, path)
	binary.LittleEndian.PutUint64(h.Meta[8*metaLength:], 1<<15)
	groups := 1 << 12
	list := []byte{0, 12, 0, 0}
	pages := make([]byte, uint64(groups)*groupBytes[uint64, uint64](false))
	if err := image.Save(path, h, pages, nil, list); err != nil {
		t.Fatal(err)
	}
	if err := container[uint64, uint64](Options{}).Open(path); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
