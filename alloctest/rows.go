package alloctest

import "slices"

// This file tests rows: values side by side.

// A row is what Make handed out.
type row[T any] struct {
	values []T
	first  uint64 // number of the first value
	serial int    // of the row itself, from 1
}

// rows tests Rows: rows of all lengths, short ones more often, with single values between
// them, until there is a crowd.
func rows[R comparable, T any](c *trial[R, T]) {
	lengths := []int{0, 1, 2, 3, 7, 64, 1, 500, 0, 1, 257, 300, 5, 1025, 2, 4097, 1, 13, 70_000, 1, 0}
	longest := c.many(3)
	c.crowded = true
	var all []row[T]
	for left, i := c.fits(c.many(1)), 0; left > 0 || i < len(lengths); i++ {
		n := c.fits(min(lengths[i%len(lengths)], longest, max(left, 1)))
		left -= n + 2
		values := c.makeRow(n)
		all = append(all, row[T]{values, c.fillRow(values), len(all) + 1})
		c.addMany(1)
		longer := append(values, *new(T)) // must not land on the value that was added
		c.number++
		c.fill(&longer[n])
	}
	c.history.add("append to each row")
	c.mustBeApart(all)
	for _, r := range all {
		c.verifyRow(r.values, r.first)
	}
	c.verify()
}

// mustBeApart fails if two rows have a byte in common.
func (c *trial[R, T]) mustBeApart(all []row[T]) {
	if c.plan.size == 0 {
		return
	}
	all = slices.DeleteFunc(slices.Clone(all), func(r row[T]) bool { return len(r.values) == 0 })
	slices.SortFunc(all, func(a, b row[T]) int {
		if address(&a.values[0]) < address(&b.values[0]) {
			return -1
		}
		return 1
	})
	for i := 1; i < len(all); i++ {
		low, high := all[i-1], all[i]
		end := address(&low.values[0]) + uintptr(len(low.values))*c.plan.size
		if start := address(&high.values[0]); start < end {
			c.fail("the %s row, of %d values, and the %s, of %d, share memory: %d bytes from %#x",
				ordinal(uint64(low.serial)), len(low.values), ordinal(uint64(high.serial)), len(high.values), end-start, start)
		}
	}
}

// fillRow fills the values of a row. Most have no name, so they are not among live.
func (c *trial[R, T]) fillRow(row []T) (first uint64) {
	first = c.number + 1
	c.others += len(row)
	for i := range row {
		c.number++
		c.fill(&row[i])
	}
	return first
}

// verifyRow looks at the values of a row.
func (c *trial[R, T]) verifyRow(row []T, first uint64) {
	for i := range row {
		if field := c.differs(&row[i], first+uint64(i)); field != "" {
			c.fail("value %d of a row of %d has changed at %s", i, len(row), field)
		}
	}
}
