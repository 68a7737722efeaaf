package alloctest

import (
	"fmt"
	"slices"
	"sync"
)

// This file tests allocators with many goroutines. The race detector finds errors that leave no
// trace in the values.

// workers is the number of concurrent goroutines.
const workers = 8

// inParallel runs work for each trial in a separate goroutine, and fails the test if one of the
// trials fails.
func (c *trial) inParallel(all []*trial, work func(*trial)) {
	failures := make([]error, len(all))
	var wait sync.WaitGroup
	for i, one := range all {
		wait.Go(func() {
			failures[i] = one.guarded(func() { work(one) })
		})
	}
	wait.Wait()
	failures = slices.DeleteFunc(failures, func(err error) bool { return err == nil })
	switch n := len(failures); n {
	case 0:
	case 1:
		panic(broken{failures[0]})
	default:
		panic(broken{fmt.Errorf("%w\n\tand %d more of %d goroutines saw a promise broken", failures[0], n-1, len(all))})
	}
}

// concurrent tests the promise Concurrent.
func concurrent(c *trial) {
	if c.a.Concurrent {
		c.sharing()
	}
	if c.a.Writer != nil {
		c.writing()
	}
}

// sharing tests goroutines that allocate and free values of the same allocator.
func (c *trial) sharing() {
	all := make([]*trial, 0, workers)
	room := c.a.Room / workers
	for range workers {
		one := c.beside(c.a)
		one.a.Room = room
		one.number += uint64(len(all)) << 40
		one.a.Len = nil // Len counts the values of all goroutines
		all = append(all, one)
	}
	c.inParallel(all, func(one *trial) {
		for range c.count(300) {
			one.addMany(1 + one.rng.IntN(8))
			one.verify()
			for one.a.Delete != nil && len(one.live) > 4 {
				one.del(one.rng.IntN(len(one.live)))
			}
		}
	})
	c.adopt(all)
}

// writing tests goroutines that each write through their own Writer.
func (c *trial) writing() {
	c.addMany(c.count(20))
	all := make([]*trial, 0, workers)
	room := c.fits(c.a.Room) / workers
	for range workers {
		c.history.add("Writer")
		one := c.beside(c.a.Writer())
		one.a.Room = room
		one.number += uint64(len(all)) << 40
		all = append(all, one)
	}
	c.inParallel(all, func(one *trial) {
		for range 5 {
			one.addMany(1 + c.count(300)/5)
			if one.a.Make != nil {
				one.fillRow(one.makeRow(1 + c.count(50)/5))
			}
		}
		one.release()
	})
	c.adopt(all)
	c.addMany(c.count(20))
	c.mustBeDistinct()
	c.verify()
}

// adopt adds the values of the given trials to c, and checks all of them.
func (c *trial) adopt(all []*trial) {
	for _, one := range all {
		c.live = append(c.live, one.live...)
		c.others += one.others
	}
	c.mustBeDistinct()
	c.verify()
}

// separate tests the promise Separate. Each goroutine uses a separate allocator. Afterwards the
// allocators are checked and released one after another.
func separate(c *trial) {
	all := []*trial{c.beside(c.a)}
	for range workers - 1 {
		one := c.beside(c.open())
		one.number += uint64(len(all)) << 40
		all = append(all, one)
	}
	c.inParallel(all, func(one *trial) {
		for range 3 {
			one.addMany(c.count(200))
			one.verify()
			if one.a.Reset != nil {
				one.reset()
			}
		}
		one.addMany(c.count(200))
	})
	for i, one := range all {
		one.verify()
		if i > 0 {
			one.release()
		}
	}
	all[0].verify()
}
