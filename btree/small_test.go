package btree

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// TestManySmallMaps verifies that small Maps use so little memory that a program may have a million
// of them.
func TestManySmallMaps(t *testing.T) { mapkit.ManySmall(t, made[string]) }

// TestSmallMapsMove moves the memory of small Maps at each commit. Snapshots continue to read the
// old memory. Whatever the Map writes to the old memory is lost.
func TestSmallMapsMove(t *testing.T) {
	vmem.MoveAlways(true, false)
	defer vmem.MoveAlways(false, false)
	seeds := 10
	if testsize.Full() {
		seeds = 500
	}
	for kind, run := range programs {
		t.Run(kind, func(t *testing.T) {
			for seed := range seeds {
				run(t, t.TempDir(), choice.Seeded(uint64(seed)), 20+20*(seed%10), false)
			}
		})
	}
}
