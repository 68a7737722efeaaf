package alloctest

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// This file tests that Release gives memory back. The allocator itself stays in sight
// all the time, so that the collector frees only what Release let go of.

// mayStay is how many bytes of the Go heap an allocator may keep after Release, for its own
// description.
const mayStay = 1 << 16

// freed tests Freed: with several allocators one after the other, so that a small leak
// of each adds up.
func freed(c *trial) {
	fill(c.plan, c.plan.new(), c.crowdManner(0)) // makes what crowds point to
	before := c.held(0)
	for round := range c.scale.sizes().releases {
		if round > 0 {
			c.a = c.open()
		}
		n := c.fits(c.many(64))
		if round == 0 {
			n = c.fits(max(n, 4*mayStay/c.plan.room()))
		}
		c.newCrowd(n, "of a crowd") // whose names nobody keeps
		for times, which := range []string{"Release", "the second Release"} {
			c.others, c.live = 0, nil
			if message := c.release(); message != "" {
				c.fail("%s panicked: %s", which, message)
			}
			c.mustBeBack(before, n, round*2+times+1, which)
		}
	}
	runtime.KeepAlive(c.a)
}

// A footprint is what a process holds.
type footprint struct{ heap, outside uint64 }

// held is the footprint without garbage, as small as it gets within some tries.
func (c *trial) held(try int) footprint {
	if try > 0 {
		time.Sleep(time.Duration(try*try) * time.Millisecond)
		waitForCleanups()
	}
	runtime.GC() // what this one puts in the hands of weak pointers and cleanups
	runtime.GC() // is garbage for this one
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	now := footprint{heap: sample[0].Value.Uint64()}
	if c.a.OffHeap != nil {
		now.outside = c.a.OffHeap()
	}
	return now
}

// waitForCleanups waits until a cleanup has run that the collector found last: on a busy machine
// those that it found before may not have had their turn. It does not wait for ever, for a user's
// cleanup may hold them up.
func waitForCleanups() {
	ran := make(chan struct{})
	runtime.AddCleanup(new([16]byte), func(ran chan struct{}) { close(ran) }, ran)
	runtime.GC()
	select {
	case <-ran:
	case <-time.After(10 * time.Second):
	}
}

// tries is how often a footprint that is too large is looked at again: other goroutines
// may be at work, such as those of cleanups.
const tries = 10

// mustBeBack fails if the footprint stays larger than it was before the values were
// handed out.
func (c *trial) mustBeBack(before footprint, n, releases int, which string) {
	var now footprint
	for try := range tries {
		now = c.held(try)
		if now.heap <= before.heap+mayStay && now.outside <= before.outside {
			return
		}
	}
	took := commas(uint64(n)) + " values of " + commas(uint64(c.plan.size)) + " bytes"
	if now.outside > before.outside {
		c.fail("%s bytes more than before are still held outside the Go heap after %s (call number %d), with %s handed out before it",
			commas(now.outside-before.outside), which, releases, took)
	}
	c.fail("%s bytes more than before are still held in the Go heap after %s (call number %d), with %s handed out before it; no more than %s may stay. "+
		"The allocator itself was still in sight: drop what its fields hold",
		commas(now.heap-before.heap), which, releases, took, commas(mayStay))
}
