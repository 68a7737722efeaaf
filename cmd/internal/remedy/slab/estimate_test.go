package slab

import (
	"math"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestObjectsWithoutBytes verifies that the estimate terminates with a finite result if a site has
// less than one byte per object. This may happen because a profile counts samples. The estimate
// then assumes objects of one byte.
func TestObjectsWithoutBytes(t *testing.T) {
	owner := site.Owner{Type: "*parser", How: "receiver p", Instances: 1}
	of := func(kind site.Kind, objects, bytes float64) *site.Site {
		f := site.Facts{Kind: kind, Type: "Node", Size: 24, Owners: []site.Owner{owner}}
		return &site.Site{Facts: f, Cost: site.Cost{Objects: objects, Bytes: bytes, BytesPart: 0.1}}
	}
	sites := []*site.Site{of(site.MakeSlice, 1000, 24000), of(site.New, 1000, 500)}
	rise, known := rise(remedy.New(remedy.Input{Sites: sites}), sites)
	if !known || math.IsInf(rise, 0) || math.IsNaN(rise) {
		t.Errorf("B/op rise by %v; known: %v", rise, known)
	}
}

// TestSlabBytesOfManyValues verifies that the running time of slabBytes does not depend on the
// number of values.
func TestSlabBytesOfManyValues(t *testing.T) {
	for _, values := range []float64{1e9, 1e15, math.MaxFloat64, math.Inf(1)} {
		if got := slabBytes(values, 8); got < values*8 || !math.IsInf(values, 0) && !math.IsInf(values*8, 0) && got > values*8*1.1 {
			t.Errorf("%v values of 8 bytes take %v", values, got)
		}
	}
}
