package alloctest

import "slices"

// This file tests rows, which are consecutive values.

// A row is a slice of values that Make returned.
type row struct {
	values slice
	first  uint64 // number of the first value
	serial int    // number of the row, from 1
}

// rows tests the promise Rows. It allocates rows of many lengths, short rows more often, with
// single values between them, until there are as many values as in a crowd.
func rows(c *trial) {
	lengths := []int{0, 1, 2, 3, 7, 64, 1, 500, 0, 1, 257, 300, 5, 1025, 2, 4097, 1, 13, 70_000, 1, 0}
	longest := c.many(3)
	c.crowded = true
	var all []row
	for left, i := c.fits(c.many(1)), 0; left > 0 || i < len(lengths); i++ {
		n := c.fits(min(lengths[i%len(lengths)], longest, max(left, 1)))
		left -= n + 2
		values := c.makeRow(n)
		all = append(all, row{values, c.fillRow(values), len(all) + 1})
		c.addMany(1)
		longer := c.a.lengthen(values) // must not overlap the value that addMany allocated
		c.number++
		c.fill(c.plan.index(longer, n))
	}
	c.history.add("append to each row")
	c.mustBeApart(all)
	for _, r := range all {
		c.verifyRow(r.values, r.first)
	}
	c.verify()
}

// mustBeApart fails the test if two rows have a byte in common.
func (c *trial) mustBeApart(all []row) {
	if c.plan.size == 0 {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(r row) bool { return r.values.len == 0 })
	slices.SortFunc(all, func(a, b row) int {
		if address(a.values.first) < address(b.values.first) {
			return -1
		}
		return 1
	})
	for i := 1; i < len(all); i++ {
		low, high := all[i-1], all[i]
		end := address(low.values.first) + uintptr(low.values.len)*c.plan.size
		if start := address(high.values.first); start < end {
			c.fail("the %s row, of %d values, and the %s, of %d, share memory: %d bytes from %#x",
				ordinal(uint64(low.serial)), low.values.len, ordinal(uint64(high.serial)), high.values.len, end-start, start)
		}
	}
}

// fillRow fills the values of a row, and returns the number of the first value. Most of the values
// have no name, so they are not added to live.
func (c *trial) fillRow(row slice) (first uint64) {
	first = c.number + 1
	c.others += row.len
	for i := range row.len {
		c.number++
		c.fill(c.plan.index(row, i))
	}
	return first
}

// verifyRow checks the values of a row.
func (c *trial) verifyRow(row slice, first uint64) {
	for i := range row.len {
		if field := c.differs(c.plan.index(row, i), first+uint64(i)); field != "" {
			c.fail("value %d of a row of %d has changed at %s", i, row.len, field)
		}
	}
}
