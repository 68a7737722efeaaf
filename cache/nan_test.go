package cache

import (
	"math"
	"testing"
)

// A key that is not equal to itself, such as one that contains a NaN, is never found and takes no
// memory from other entries.
func TestKeysThatAreNotEqualToThemselves(t *testing.T) {
	c := Must(New[[2]float32, uint64](Options{MaxBytes: 1 << 20}))
	defer c.Close()
	nan := [2]float32{1, float32(math.NaN())}
	if err := c.Set([2]float32{1, 1}, 7); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(1000) {
		if err := c.Set(nan, i); err != nil {
			t.Fatal(err)
		}
		if v, ok := c.GetOrSet(nan, i); v != i || ok {
			t.Fatal(v, ok)
		}
	}
	if _, ok := c.Get(nan); ok || c.Delete(nan) || c.Len() != 1 {
		t.Error("a NaN is there:", c.Len())
	}
	if v, ok := c.Get([2]float32{1, 1}); v != 7 || !ok {
		t.Error(v, ok)
	}
}
