package alloctest

import (
	"fmt"
)

// This file tests properties of newly allocated values.

// zeroed tests the promise Zeroed, with fresh memory and with memory of freed values. It begins
// with a few values and continues with a crowd, whose last chunk must be zeroed like its first.
func zeroed(c *trial) {
	n := c.count(400)
	for range 3 {
		c.addMany(n)
		if c.a.Make != nil {
			c.fillRow(c.makeRow(n / 2))
		}
		if c.a.Delete != nil {
			for range len(c.live) / 2 {
				c.del(c.rng.IntN(len(c.live)))
			}
			c.addMany(n / 2)
		}
		if c.a.Reset != nil {
			c.reset()
		}
	}
	c.verify()
	c.crowdsZeroed()
}

// crowdsZeroed tests Zeroed with crowds, which it frees in every way that the allocator supports.
func (c *trial) crowdsZeroed() {
	n := c.many(1)
	all := c.newCrowd(n, "of a crowd")
	if c.a.Delete != nil {
		all.thin(everyOne)
		all.add(n, "after a Delete of as many")
	}
	if c.a.Mark != nil {
		part := c.many(4)
		c.history.add("Mark")
		rewind, others := c.a.Mark(), c.others
		c.newCrowd(part, "after Mark")
		c.history.add("rewind")
		rewind()
		c.others = others
		all.add(part, "after a rewind of as many")
	}
	if c.a.Reset != nil {
		c.reset()
		all = c.newCrowd(n, "after a Reset of as many")
	}
	all.verify()
}

// aligned tests the promise Aligned.
func aligned(c *trial) {
	align := uintptr(c.plan.of.Align())
	check := func(p value) {
		if address(p)%align != 0 {
			c.fail("a value at %p is not aligned to %d bytes", p, align)
		}
	}
	for range c.fits(c.many(8)/4) / 4 {
		c.history.add("New")
		_, p := c.a.New()
		c.others++
		check(p)
		if c.a.Make != nil {
			row := c.makeRow(1 + c.rng.IntN(3))
			c.others += row.len
			if row.len > 0 {
				check(row.first)
			}
		}
	}
}

// distinct tests the promise Distinct.
func distinct(c *trial) {
	all := c.newCrowd(c.many(1), "of a crowd")
	all.mustBeDistinct()
	if c.a.Delete != nil {
		all.thin(oneInThree)
		all.add(c.many(3), "after Delete")
		all.mustBeDistinct()
	}
	c.verify()
}

// mustBeDistinct fails the test if two live values share a name or a byte.
func (c *trial) mustBeDistinct() {
	all := &crowd{c: c}
	for _, e := range c.live {
		one := member{name: e.name, number: e.number}
		if !c.a.Moves {
			one.start = address(c.find(e.name))
		}
		all.members = append(all.members, one)
	}
	all.mustBeDistinct()
}

// stable tests the promise Stable. It calls verify, which compares the addresses of the values.
func stable(c *trial) {
	for range 4 {
		c.addMany(c.count(200))
		if c.a.Grow != nil {
			c.grow(c.count(300))
		}
		if c.a.Delete != nil {
			c.del(c.rng.IntN(len(c.live)))
		}
		c.verify()
	}
	all := c.newCrowd(c.many(4), "of a crowd")
	if c.a.Grow != nil {
		c.grow(c.many(8))
	}
	all.verify()
}

// kept tests the promise Kept.
func kept(c *trial) {
	for n := 1; n <= c.count(1000); n *= 4 {
		c.addMany(n)
		c.verify()
	}
	all := c.newCrowd(c.many(16), "of a crowd")
	for _, parts := range []int{4, 1} {
		all.add(c.many(parts)-len(all.members), "of a crowd")
		all.verify()
		c.verify()
	}
}

// grow calls Grow for n values, or as many as there is room for.
func (c *trial) grow(n int) {
	n = c.fits(n)
	c.history.add(fmt.Sprintf("Grow(%d)", n))
	c.a.Grow(n)
}
