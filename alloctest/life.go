package alloctest

import (
	"fmt"
)

// This file tests how values are freed: by Delete, a rewind, Reset and Release.

// deleted tests the promise Deleted. It allocates and frees values at random.
func deleted(c *trial) {
	for range 5 {
		c.addMany(c.count(200))
		for range c.rng.IntN(len(c.live)) {
			c.del(c.rng.IntN(len(c.live)))
		}
		c.verify()
	}
	for len(c.live) > 0 {
		c.del(len(c.live) - 1)
	}
	c.addMany(c.count(200))
	c.verify()

	all := c.newCrowd(c.many(4), "of a crowd")
	for range 2 {
		all.thin(oneInThree)
		all.add(c.many(8), "after Delete")
		all.verify()
		c.verify()
	}
	all.thin(everyOne)
	c.verify()
}

// freedOnce tests the promise FreedOnce: values that are allocated after a second Delete of the
// same name must not overlap.
func freedOnce(c *trial) {
	for _, before := range []int{1, 10, c.count(300)} {
		c.addMany(before)
		dead := c.del(c.rng.IntN(len(c.live)))
		c.history.add("Delete again")
		_ = c.catch(func() { c.a.Delete(dead) })
		c.addMany(before + 1) // after a double free, two of these values would share a slot
		c.mustBeDistinct()
		c.verify()
	}
}

// reuses returns the number of times that the test of Noticed reuses one slot. The number overflows
// a 16-bit counter or, for large values, an 8-bit counter.
func (c *trial) reuses() int {
	return min(1<<16+2, max(1<<8+2, 1<<26/c.plan.room()))
}

// noticed tests the promise Noticed. It uses names that belong to another allocator, and names of
// values that were freed by Delete or Reset, also after their slots were reused many times.
func noticed(c *trial) {
	c.addMany(c.count(20))
	c.strangers()
	dead := c.del(c.rng.IntN(len(c.live)))
	c.mustFindNothing(dead, "after its Delete")
	zero := c.plan.new()
	for i := range c.reuses() {
		name := c.putZero(zero)
		if name == dead || c.finds(dead) {
			c.fail("the name of a freed value finds a value again after its slot was reused %d times", i+1)
		}
		c.a.Delete(name)
	}
	c.history.add(fmt.Sprintf("New and Delete, %d times", c.reuses()))
	c.verify()

	if c.a.Reset != nil {
		before := make([]any, 0, len(c.live))
		for _, e := range c.live {
			before = append(before, e.name)
		}
		for range 3 {
			c.reset()
			c.addMany(c.count(20))
			for _, name := range before {
				c.mustFindNothing(name, "from before a Reset")
			}
		}
	}
}

// strangers checks that At finds no value by a name that belongs to another allocator with the same
// history, and that Delete frees no value by such a name.
func (c *trial) strangers() {
	other := c.beside(c.open())
	other.addMany(len(c.live))
	for _, e := range other.live {
		c.mustFindNothing(e.name, "of another allocator")
		_ = c.catch(func() { c.a.Delete(e.name) })
		c.verify()
	}
	other.release()
}

// putZero allocates a zero value.
func (c *trial) putZero(zero value) any {
	if c.a.Alloc != nil {
		return c.a.Alloc(zero)
	}
	name, _ := c.a.New()
	return name
}

// mustFindNothing fails the test if At finds a value by a name that is no longer valid.
func (c *trial) mustFindNothing(name any, what string) {
	if c.finds(name) {
		c.fail("the name %v finds something, and it is one %s", name, what)
	}
}

// finds reports whether At finds a value by the given name.
func (c *trial) finds(name any) (found bool) {
	_ = c.catch(func() { found = c.a.At(name) != nil })
	return found
}

// apart tests the promise Apart. A write to a freed value may change a different value of the user,
// or be detected, but must have no other effect. Values allocated afterwards may be non-zero.
func apart(c *trial) {
	c.spoiled = true
	c.addMany(c.count(100))
	var stale []value
	if c.a.Delete != nil {
		for range len(c.live) / 2 {
			i := c.rng.IntN(len(c.live))
			stale = append(stale, c.live[i].at)
			c.del(i)
		}
	} else {
		for _, e := range c.live {
			stale = append(stale, e.at)
		}
		c.reset()
	}
	c.history.add("writes to all values that are gone")
	for i, p := range stale {
		fill(c.plan, p, manner{number: 1<<40 + uint64(i)})
	}
	noticed := c.catch(func() { c.addMany(2 * c.count(100)) })
	if noticed != "" {
		return
	}
	c.mustBeDistinct()
	c.verify()
}

// emptied tests the promise Emptied, with phases of different sizes. The first phase is empty.
func emptied(c *trial) {
	for _, n := range []int{0, 1, 300, 5, 0, 2000, 3, 300} {
		c.addMany(c.count(n))
		c.verify()
		c.reset()
		if n := c.lenOr(0); n != 0 {
			c.fail("Len is %d after Reset", n)
		}
	}
	all := c.newCrowd(c.many(8), "of a crowd")
	all.verify()
	c.reset()
	all = c.newCrowd(c.many(8), "after a Reset of as many")
	all.verify()
	c.verify()
}

// rewound tests the promise Rewound, with nested marks.
func rewound(c *trial) {
	for range 4 {
		c.addMany(c.count(50))
		c.between(3)
		c.verify()
	}
	if c.a.Reset != nil {
		c.reset()
		c.between(1)
		c.verify()
	}
	all := c.newCrowd(c.many(8), "of a crowd")
	for range 2 {
		c.history.add("Mark")
		rewind, others := c.a.Mark(), c.others
		c.newCrowd(c.many(8), "after Mark")
		c.history.add("rewind")
		rewind()
		c.others = others
		all.verify()
		c.verify()
	}
}

// The method between sets a mark, allocates values, calls itself with depth-1 unless depth is 1,
// and rewinds.
func (c *trial) between(depth int) {
	c.history.add("Mark")
	rewind, values := c.a.Mark(), len(c.live)
	c.addMany(c.rng.IntN(1 + c.count(300)))
	if depth > 1 {
		c.between(depth - 1)
		c.verify()
	}
	c.addMany(c.rng.IntN(1 + c.count(30)))
	c.history.add("rewind")
	rewind()
	clear(c.live[values:])
	c.live = c.live[:values]
	c.verify()
}

// released tests the promise Released.
func released(c *trial) {
	if message := c.release(); message != "" {
		c.fail("Release of an empty allocator panicked: %s", message)
	}
	c.a = c.open()
	for range 3 {
		refusal := c.catch(func() { c.addMany(c.count(100)) })
		if refusal == "" {
			c.verify()
		}
		for range 2 {
			if message := c.release(); message != "" {
				c.fail("Release panicked: %s", message)
			}
			if n := c.lenOr(0); n != 0 {
				c.fail("Len is %d after Release", n)
			}
		}
		c.live = nil
	}
}

// counted tests the promise Counted.
func counted(c *trial) {
	size := uint64(c.plan.size)
	check := func() {
		c.verify()
		if c.a.Bytes == nil {
			return
		}
		if held, taken := c.a.Bytes(), uint64(len(c.live)+c.others)*size; held < taken {
			c.fail("Bytes is %d, but %d live values take %d", held, len(c.live)+c.others, taken)
		}
	}
	check()
	for n := 1; n <= c.count(2000); n *= 3 {
		c.addMany(n)
		check()
		if c.a.Delete != nil {
			c.del(c.rng.IntN(len(c.live)))
			check()
		}
		if c.a.Reset != nil && n%2 == 0 {
			c.reset()
			check()
		}
	}
	c.newCrowd(c.many(4), "of a crowd")
	check()
	if c.a.Release == nil {
		return
	}
	c.live = nil
	if message := c.release(); message != "" {
		c.fail("Release panicked: %s", message)
	}
	if n := c.lenOr(0); n != 0 {
		c.fail("Len is %d after Release", n)
	}
	if c.a.Bytes != nil && c.a.Bytes() != 0 {
		c.fail("Bytes is %d after Release", c.a.Bytes())
	}
}
