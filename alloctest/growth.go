package alloctest

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// This file tests the promises about growing allocators, and about allocators with a limit.

// reserved tests the promise Reserved.
func reserved(c *trial) {
	for i := range 4 {
		n := c.fits(1 + c.rng.IntN(c.count(800)))
		if i == 3 {
			n = c.fits(c.many(4))
		}
		c.grow(n)
		held := c.a.Bytes()
		c.newCrowd(n, "after Grow")
		if now := c.a.Bytes(); now > held {
			c.fail("Bytes was %d after Grow(%d), and is %d after %d values", held, n, now, n)
		}
	}
	c.verify()
}

// appended tests the promise Appended. Two slices grow in random order, with values allocated
// between them.
func appended(c *trial) {
	type growing struct {
		values slice
		first  uint64
	}
	var slices [2]growing
	for i := range slices {
		slices[i] = growing{c.makeRow(1), c.number + 1}
		c.fillRow(slices[i].values)
		c.number += 1 << 20 // reserves numbers for values that are appended later
	}
	for range min(100, c.count(400)) {
		s := &slices[c.rng.IntN(len(slices))]
		if most := s.values.len + 4; c.fits(most) < most {
			break
		}
		more := c.plan.newSlice(c.rng.IntN(4))
		for i := range more.len {
			fill(c.plan, c.plan.index(more, i), manner{number: s.first + uint64(s.values.len+i)})
		}
		before := s.values.len
		c.others += before + more.len // the allocator may not reuse the old arrays
		c.history.add("Append")
		s.values = c.a.Append(s.values, more)
		if s.values.len != before+more.len {
			c.fail("Append of %d values to %d returned %d", more.len, before, s.values.len)
		}
		if c.rng.IntN(3) == 0 {
			c.add()
		}
		for _, s := range slices {
			c.verifyRow(s.values, s.first)
		}
		c.verifyLive()
	}
}

// cloned tests the promise Cloned.
func cloned(c *trial) {
	c.addMany(c.count(200))
	if c.a.Delete != nil {
		c.del(c.rng.IntN(len(c.live)))
	}
	c.history.add("Clone")
	other := c.beside(c.a.Clone())
	other.a.Room = c.a.Room
	for _, e := range c.live {
		other.own(e.name, other.find(e.name), e.number)
	}
	other.verify()
	for i := range other.live { // changes the clone's values, but not the original's
		other.number++
		other.live[i].number = other.number
		other.fill(other.find(other.live[i].name))
	}
	other.addMany(c.count(100))
	c.addMany(c.count(100))
	c.verify()
	other.verify()
	other.release()
	c.verify()
	c.crowdCloned()
}

// crowdCloned tests the promise Cloned with a crowd.
func (c *trial) crowdCloned() {
	all := c.newCrowd(c.many(4), "of a crowd")
	c.history.add("Clone")
	other := c.beside(c.a.Clone())
	other.a.Room = c.a.Room
	copied := &crowd{c: other, members: slices.Clone(all.members)}
	for i := range copied.members {
		copied.members[i].start = 0 // a cloned value has a different address
	}
	copied.verify()
	all.add(c.many(16), "of a crowd")
	copied.verify()
	all.verify()
	other.release()
	all.verify()
}

// exhausted tests the promise Exhausted, with small limits and with limits that take many chunks.
func exhausted(c *trial) {
	for _, limit := range []int{1, 2, c.count(1000), c.many(8) + 1} {
		b := c.beside(c.a.Bounded(limit))
		b.crowded = limit > c.count(1000)
		b.a.Room = 0 // limit bounds the allocator, and the test requests one value more
		b.history.add(fmt.Sprintf("Bounded(%d)", limit))
		for range limit {
			if err := b.try(); err != nil {
				b.fail("value %d of %d was refused: %v", len(b.live)+1, limit, err)
			}
		}
		b.mustBeFull(limit)
		if b.a.Delete != nil {
			b.del(b.rng.IntN(len(b.live)))
			if err := b.try(); err != nil {
				b.fail("a value was refused after a Delete had made room: %v", err)
			}
			b.mustBeFull(limit)
		}
		if b.a.Reset != nil {
			b.reset()
			for range limit {
				if err := b.try(); err != nil {
					b.fail("value %d of %d was refused after a Reset: %v", len(b.live)+1, limit, err)
				}
			}
			b.mustBeFull(limit)
		}
		b.release()
	}
}

// mustBeFull fails the test unless the allocator repeatedly rejects further values, and leaves all
// live values unchanged.
func (c *trial) mustBeFull(limit int) {
	for range 3 {
		err := c.try()
		switch {
		case err == nil:
			c.fail("value %d was handed out, and the limit is %d", len(c.live), limit)
		case err.Error() == "":
			c.fail("the error at the limit of %d has no text", limit)
		case c.a.TryAlloc != nil && c.a.Full != nil && !errors.Is(err, c.a.Full):
			c.fail("the error at the limit of %d is %q, which does not wrap Full", limit, err)
		}
		if c.a.TryAlloc != nil && c.catch(c.add) == "" {
			c.fail("TryAlloc refused a value at the limit of %d, but New or Alloc did not", limit)
		}
	}
	c.verify()
}

// try allocates a value, and returns the error if it fails.
func (c *trial) try() error {
	if c.a.TryAlloc == nil {
		if message := c.catch(c.add); message != "" {
			return errors.New(message)
		}
		return nil
	}
	c.number++
	v := c.plan.new()
	c.fill(v)
	c.history.add("TryAlloc")
	name, err := c.a.TryAlloc(v)
	if err == nil {
		c.own(name, c.find(name), c.number)
	}
	return err
}

// refused tests the promise Refused.
func refused(c *trial) {
	counts := []int{-1, math.MinInt}
	if c.plan.size >= 8 {
		counts = append(counts, math.MaxInt) // too many for any address space
	}
	type sized struct {
		name string
		call func(int)
	}
	var calls []sized
	if c.a.Grow != nil {
		calls = append(calls, sized{"Grow", c.a.Grow})
	}
	if c.a.Make != nil {
		calls = append(calls, sized{"Make", func(n int) { c.a.Make(n) }})
	}
	c.addMany(c.count(50))
	for _, sized := range calls {
		for _, n := range counts {
			c.history.add(fmt.Sprintf("%s(%d)", sized.name, n))
			if c.catch(func() { sized.call(n) }) == "" {
				c.fail("%s(%d) did not panic", sized.name, n)
			}
			c.addMany(c.count(10))
			c.verify()
		}
	}
}
