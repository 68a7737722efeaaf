package alloctest

import (
	"reflect"
	"runtime"
)

// This file tests that the collector keeps what live values point to, and frees what only freed
// values pointed to.

// reachable tests the promise Reachable. In this test, only the values keep alive what they point
// to.
func reachable(c *trial) {
	c.watch = new(watch)
	var rows []slice // kept reachable, as in a user's program
	for range 3 {
		c.addMany(c.count(600))
		if c.a.Make != nil && !c.a.Moves {
			row := c.makeRow(c.count(300))
			c.fillRow(row)
			rows = append(rows, row)
		}
		collect()
		if alive, all := c.watch.alive(), len(c.watch.pointees); alive < all {
			c.fail("the collector dropped %d of %d variables that live values point to", all-alive, all)
		}
	}
	c.verify()
	runtime.KeepAlive(rows)
	runtime.KeepAlive(c.a)
}

// outlives tests the promise Outlives. If the values have a field that can link them, they form a
// linked list, and only the first value is kept reachable.
func outlives(c *trial) {
	c.addMany(c.count(2000))
	link := fieldOf(reflect.PointerTo(c.plan.of))
	if link >= 0 {
		for i, e := range c.live[1:] {
			writable(c.plan.variable(c.live[i].at).Field(link)).Set(c.plan.variable(e.at).Addr())
		}
	}
	c.history.add("the allocator is dropped")
	c.a = allocator{pointed: c.a.pointed} // pointed depends on types, but not on the allocator
	if link < 0 {
		collect()
		c.verify()
		return
	}
	values := new(watch)
	for _, e := range c.live {
		values.add(firstByte(e.at))
	}
	first := c.live[0].at
	c.live = nil
	collect()
	if alive, all := values.alive(), len(values.pointees); alive < all {
		c.fail("the collector dropped %d of %d values that one leads to which is still held", all-alive, all)
	}
	runtime.KeepAlive(first)
}

// fieldOf returns the index of a field that can link a value to the next one, given the type of
// pointers to these values. This is the struct's first field of that pointer type. fieldOf returns
// -1 if the values are not structs, or have no such field.
func fieldOf(pointer reflect.Type) int {
	t := pointer.Elem()
	if t.Kind() != reflect.Struct {
		return -1
	}
	for i := range t.NumField() {
		if t.Field(i).Type == pointer {
			return i
		}
	}
	return -1
}

// stillHeld is the maximum number of variables that a test may find alive because a stack or the
// allocator's last value still refers to them.
const stillHeld = 8

// forgotten tests the promise Forgotten.
func forgotten(c *trial) {
	check := func(how string) {
		collect()
		if alive, all := c.watch.alive(), len(c.watch.pointees); alive > stillHeld {
			c.fail("%d of %d variables that only values pointed to are still alive after %s", alive, all, how)
		}
	}
	if c.a.Delete != nil {
		c.watch = new(watch)
		c.addMany(c.count(100))
		for len(c.live) > 0 {
			c.del(len(c.live) - 1)
		}
		check("Delete")
	}
	if c.a.Reset != nil {
		c.watch = new(watch)
		c.addMany(c.count(100))
		c.reset()
		check("Reset")
	}
	if c.a.Release != nil {
		c.watch = new(watch)
		c.addMany(c.count(100))
		c.live = nil
		if message := c.release(); message != "" {
			c.fail("Release panicked: %s", message)
		}
		check("Release")
	}
	runtime.KeepAlive(c.a)
}
