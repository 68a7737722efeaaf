package hashmap

import (
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/choice"
	"github.com/coppice-go/coppice/internal/testkit/mapkit"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A program may have a million small Maps.
func TestManySmallMaps(t *testing.T) { mapkit.ManySmall(t, made[string]) }

// Small Maps whose memory moves at each commit: what holds a place in it meanwhile reads nonsense.
func TestSmallMapsMove(t *testing.T) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	seeds := 10
	if testsize.Full() {
		seeds = 500
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			for seed := range seeds {
				p.run(t, t.TempDir(), choice.Seeded(uint64(seed)), 20+10*(seed%10))
			}
		})
	}
}
