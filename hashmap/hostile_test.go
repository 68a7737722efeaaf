package hashmap

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/testkit/damage"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestHolesInFiles verifies that a sparse file with terabytes of holes either is rejected, or can
// be opened at the cost of only those parts that are read.
func TestHolesInFiles(t *testing.T) {
	path := saved(t, 500, number, uint64(1))
	holes := map[string]map[int]uint64{
		"a list without pages":   {2: 8 << 40},
		"a list and pages":       {0: 4 << 40, 2: 4 << 40},
		"a list of few zeros":    {0: 4 << 40, 2: 64 << 20},
		"pages without a list":   {0: 4 << 40},
		"texts":                  {1: 4 << 40},
		"pages and no list":      {0: 4 << 40, 2: 0},
		"a list that is not one": {2: 1<<40 + 1},
	}
	if vmem.GoMemory {
		delete(holes, "pages without a list") // the reservation fails instead, and the error says so
	}
	damage.HolesAreInvalid(t, path, kindOf[uint64]().Container, holes)
}

// TestLargePagesOfFilesAreVerified verifies that OpenFile checks a page that is larger than usual.
// All copies a whole page at once, and the page may be a hole.
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
	if err := kindOf[uint64]().Container(false).Open(path); !errors.Is(err, ErrInvalid) {
		t.Error(err)
	}
}
