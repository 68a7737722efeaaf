package slab

import (
	"math"
	"testing"

	"github.com/coppice-go/coppice/slab"
)

// The prediction of bytes is of chunks as slab.Chunks makes them.
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
			slots += chunkAfter(slots, size)
		}
		got := math.Inf(1) // the least of several counts: the runtime allocates too
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
		{0.2, 100, 100},         // one value at least
		{3, 24, (3 + 0.5) * 24}, // 1, 1, 2: of the last chunk half a slot is free in the mean
		{60, 24, (60 + 4.5) * 24},
	} {
		if got := slabBytes(test.values, test.size); got != test.want {
			t.Errorf("%v values of %d bytes take %v, want %v", test.values, test.size, got, test.want)
		}
	}
}
