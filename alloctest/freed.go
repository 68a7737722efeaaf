package alloctest

import (
	"runtime"
	"runtime/metrics"
	"time"
)

// This file tests that Release releases memory. The allocator itself stays reachable, so that the
// collector frees only what Release released.

// mayStay is the maximum number of bytes of the Go heap that an allocator may keep after Release,
// for its own data structures.
const mayStay = 1 << 16

// freed tests the promise Freed. It uses several allocators one after another, so that small leaks
// add up.
func freed(c *trial) {
	fill(c.plan, c.plan.new(), c.crowdManner(0)) // allocates the shared pointer targets of crowds
	before := c.held(0)
	for round := range c.scale.sizes().releases {
		if round > 0 {
			c.a = c.open()
		}
		n := c.fits(c.many(64))
		if round == 0 {
			n = c.fits(max(n, 4*mayStay/c.plan.room()))
		}
		c.newCrowd(n, "of a crowd") // the names are not kept
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

// A footprint is the memory that a process holds.
type footprint struct{ heap, outside uint64 }

// held returns the footprint without garbage. If try is not 0, it first waits, so that other
// goroutines and cleanups can finish.
func (c *trial) held(try int) footprint {
	if try > 0 {
		time.Sleep(time.Duration(try*try) * time.Millisecond)
		waitForCleanups()
	}
	runtime.GC() // weak pointers and cleanups release more objects after this collection
	runtime.GC() // this collection frees those objects
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	now := footprint{heap: sample[0].Value.Uint64()}
	if c.a.OffHeap != nil {
		now.outside = c.a.OffHeap()
	}
	return now
}

// waitForCleanups waits until the cleanup of a new object has run, because on a busy machine, the
// cleanups of objects that died earlier may not have run yet. It gives up after a while, because a
// user's cleanup may block the others.
func waitForCleanups() {
	ran := make(chan struct{})
	runtime.AddCleanup(new([16]byte), func(ran chan struct{}) { close(ran) }, ran)
	runtime.GC()
	select {
	case <-ran:
	case <-time.After(10 * time.Second):
	}
}

// tries is the number of times that a footprint is measured before it is considered too large. One
// measurement is not enough, because other goroutines, such as those that run cleanups, may still
// be active.
const tries = 10

// mustBeBack fails the test if the footprint stays larger than it was before the values were
// allocated.
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
		c.fail("%s more bytes are held outside the Go heap after %s (call number %d) than before %s were handed out",
			commas(now.outside-before.outside), which, releases, took)
	}
	c.fail("%s more bytes are held in the Go heap after %s (call number %d) than before %s were handed out; no more than %s may stay. "+
		"The allocator itself was still in sight: drop what its fields hold",
		commas(now.heap-before.heap), which, releases, took, commas(mayStay))
}
