package alloctest

import (
	"fmt"
	"reflect"
	"slices"
)

// This file tests what holds for values as they are handed out.

// zeroed tests Zeroed: with fresh memory, and with memory of values that are gone.
func zeroed[R comparable, T any](c *trial[R, T]) {
	n := c.count(400)
	for range 3 {
		c.addMany(n)
		if c.a.Make != nil {
			c.fillRow(c.makeRow(n / 2))
		}
		if c.a.Del != nil {
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
}

// fillRow fills the values of a row. Most have no name, so they are not among live.
func (c *trial[R, T]) fillRow(row []T) (first uint64) {
	first = c.number + 1
	c.inRows += len(row)
	for i := range row {
		c.number++
		fill(&row[i], c.number, c.watch)
	}
	return first
}

// verifyRow looks at the values of a row.
func (c *trial[R, T]) verifyRow(row []T, first uint64) {
	for i := range row {
		if field := differs(&row[i], first+uint64(i)); field != "" {
			c.fail("value %d of a row of %d has changed at %s", i, len(row), field)
		}
	}
}

// aligned tests Aligned.
func aligned[R comparable, T any](c *trial[R, T]) {
	align := uintptr(reflect.TypeFor[T]().Align())
	check := func(p *T) {
		if address(p)%align != 0 {
			c.fail("a value at %p is not aligned to %d bytes", p, align)
		}
	}
	for range c.count(100) {
		c.history.add("New")
		_, p := c.a.New()
		check(p)
		if c.a.Make != nil {
			if row := c.makeRow(1 + c.rng.IntN(3)); len(row) > 0 {
				check(&row[0])
			}
		}
	}
}

// distinct tests Distinct.
func distinct[R comparable, T any](c *trial[R, T]) {
	c.addMany(c.count(1000))
	if c.a.Del != nil {
		for range len(c.live) / 3 {
			c.del(c.rng.IntN(len(c.live)))
		}
		c.addMany(c.count(300))
	}
	c.mustBeDistinct()
	c.verify()
}

// mustBeDistinct fails if two live values have one name, or a byte in common.
func (c *trial[R, T]) mustBeDistinct() {
	size := reflect.TypeFor[T]().Size()
	if size == 0 {
		return // they may all be at one address
	}
	names := make(map[R]bool, len(c.live))
	starts := make([]uintptr, 0, len(c.live))
	for _, e := range c.live {
		if names[e.name] {
			c.fail("two live values have the name %v", e.name)
		}
		names[e.name] = true
		starts = append(starts, address(c.find(e.name)))
	}
	slices.Sort(starts)
	for i := 1; i < len(starts); i++ {
		if apart := starts[i] - starts[i-1]; apart < size {
			c.fail("two live values of %d bytes are %d bytes apart", size, apart)
		}
	}
}

// stable tests Stable: verify compares addresses.
func stable[R comparable, T any](c *trial[R, T]) {
	for range 4 {
		c.addMany(c.count(200))
		if c.a.Grow != nil {
			c.grow(c.count(300))
		}
		if c.a.Del != nil {
			c.del(c.rng.IntN(len(c.live)))
		}
		c.verify()
	}
}

// kept tests Kept.
func kept[R comparable, T any](c *trial[R, T]) {
	for n := 1; n <= c.count(4000); n *= 4 {
		c.addMany(n)
		c.verify()
	}
}

// rows tests Rows.
func rows[R comparable, T any](c *trial[R, T]) {
	type row struct {
		values []T
		first  uint64
	}
	all := make([]row, 0, 10)
	for _, n := range []int{0, 1, 2, 3, 7, 64, 1, 500, 0, 1} {
		n = min(n, c.count(500))
		values := c.makeRow(n)
		all = append(all, row{values, c.fillRow(values)})
		c.add()
		longer := append(values, *new(T)) // must not land on the value that was added
		c.number++
		fill(&longer[n], c.number, nil)
	}
	c.history.add("append to each row")
	for _, r := range all {
		c.verifyRow(r.values, r.first)
	}
	c.verify()
}

// grow has the allocator make room.
func (c *trial[R, T]) grow(n int) {
	c.history.add(fmt.Sprintf("Grow(%d)", n))
	c.a.Grow(n)
}
