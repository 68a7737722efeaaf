package main

import "testing"

// The expected outcomes are the output of ../expect.
func TestWaysComputeWhatIsExpected(t *testing.T) {
	want := map[int]outcome{
		1:    {64, 143081572735070},
		32:   {946, 9896665521284711908},
		4096: {100302, 8139768824182501318},
	}
	for name, way := range ways {
		for objects, w := range want {
			if got := way(objects); got != w {
				t.Errorf("%s of %d objects: %v, want %v", name, objects, got, w)
			}
		}
	}
}
