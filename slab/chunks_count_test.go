package slab

import "testing"

// Chunks have their usual length even after more values than an int on a 32-bit machine can count.
func TestChunksCountNoFurther(t *testing.T) {
	var c Chunks[struct{}]
	c.Make(1 << 30)
	want := c.nextLen("")
	for range 8 { // a 32-bit count would overflow, and be 0 on the way
		c.Grow(1 << 30)
		c.Make(1 << 30)
		if got := c.nextLen(""); got != want {
			t.Fatalf("the next chunk has %d slots, want %d", got, want)
		}
	}
	if len(c.Make(10)) != 10 || c.New() == nil {
		t.Error("nothing comes any more")
	}
}
