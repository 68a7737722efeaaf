package alloctest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
)

// A trial is one execution of one test with one allocator. It makes the calls, records them, and
// tracks the live values and their contents. If a promise is broken, its methods panic, and the
// method attempt converts the panic to an error.
type trial struct {
	open    func() allocator
	a       allocator
	promise Promise
	seed    uint64
	rng     *rand.Rand
	scale   Scale
	plan    *plan // plan of the value type
	crowded bool  // whether pointers have shared targets, because there are many values
	spoiled bool  // whether the test misused the allocator, which may report that at the end

	history history
	number  uint64  // number of the last value
	live    []entry // live values, in the order of their allocation
	others  int     // number of live values that are not in live: those in rows and crowds
	watch   *watch  // tracks the targets of pointers; nil if not needed
}

// An entry is a live value.
type entry struct {
	name   any
	at     value  // address at which the value was allocated; nil if it may move
	number uint64 // number that determines the contents
}

// newTrial opens an allocator for a test.
func newTrial(open func() allocator, promise Promise, scale Scale, seed uint64) *trial {
	a := open()
	return &trial{
		open: open, a: a, promise: promise, scale: scale, plan: a.plan,
		seed: seed, rng: rand.New(rand.NewPCG(seed, 0)),
	}
}

// beside returns a trial of the allocator a. Its failures are reported as failures of c.
func (c *trial) beside(a allocator) *trial {
	other := *c
	other.a, other.live, other.others, other.history = a, nil, 0, history{}
	other.rng = rand.New(rand.NewPCG(c.seed, c.rng.Uint64()))
	other.number += 1 << 32 // the two allocators get values with different contents
	return &other
}

// broken is the panic value of fail.
type broken struct{ error }

// fail ends the test and reports a broken promise.
func (c *trial) fail(format string, args ...any) {
	panic(broken{fmt.Errorf("broken promise: %s\n\t%s\n\tafter: %s\n\tseed: %d",
		string(c.promise), fmt.Sprintf(format, args...), c.history.String(), c.seed)})
}

// attempt runs the test and releases the allocator. It returns an error that describes the broken
// promise, or nil if no promise was broken.
func (c *trial) attempt(run func()) error {
	err := c.guarded(run)
	released := c.guarded(func() {
		if message := c.release(); message != "" && !c.spoiled {
			c.fail("Release panicked: %s", message)
		}
	})
	if err == nil {
		return released
	}
	return err // this error may also be the reason why Release fails
}

// guarded runs part of the test. It returns an error that describes the broken promise, or nil if
// no promise was broken. A panic of the allocator also breaks the promise.
func (c *trial) guarded(run func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case broken:
			err = p.error
		default:
			err = fmt.Errorf("broken promise: %s\n\tpanic: %v%s\n\tafter: %s\n\tseed: %d\n%s",
				string(c.promise), p, c.roomHint(), c.history.String(), c.seed, debug.Stack())
		}
	}()
	run()
	return nil
}

// roomHint returns a hint for a failure message. It states that the allocator may have no room for
// more values. roomHint returns "" if that cannot be the reason.
func (c *trial) roomHint() string {
	if live := len(c.live) + c.others; c.a.Room == 0 && live > 0 {
		return fmt.Sprintf(" (with %s values live; if the allocator has room for no more, say so in Allocator.Room)", commas(uint64(live)))
	}
	return ""
}

// release calls Release, if the allocator has it, and returns the message of a panic, or "" if
// there was none.
func (c *trial) release() string {
	if c.a.Release == nil {
		return ""
	}
	c.history.add("Release")
	return c.catch(c.a.Release)
}

// catch runs f and returns the message of its panic, or "" if there was none. An allocator may
// reject a call with a panic, but a runtime panic, such as an index out of range, fails the test.
// The exception is a panic of the builtin make, which may reject a length.
func (c *trial) catch(f func()) (message string) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		message = fmt.Sprint(p)
		if b, ok := p.(broken); ok {
			panic(b)
		}
		if _, ok := p.(runtime.Error); ok && !strings.Contains(message, "makeslice: ") {
			c.fail("an unexpected panic: %s", message)
		}
		if message == "" {
			c.fail("a panic without a text")
		}
	}()
	f()
	return ""
}

// add allocates a value, checks that it is zero if that was promised, and fills it.
func (c *trial) add() {
	c.number++
	if c.a.Alloc != nil && (c.a.New == nil || c.rng.IntN(2) == 0) {
		v := c.plan.new()
		c.fill(v)
		c.history.add("Alloc")
		name := c.a.Alloc(v)
		c.own(name, c.find(name), c.number)
		return
	}
	c.history.add("New")
	name, p := c.a.New()
	if p == nil {
		c.fail("New returned nil%s", c.roomHint())
	}
	c.mustBeZero("New", p)
	c.fill(p)
	c.own(name, p, c.number)
}

// addMany adds n values, or as many as there is room for.
func (c *trial) addMany(n int) {
	for range c.fits(n) {
		c.add()
	}
}

// fill writes the pattern of the last value's number to p.
func (c *trial) fill(p value) {
	fill(c.plan, p, manner{number: c.number, crowd: c.crowded, watch: c.watch})
}

// differs returns the path of the first part of p that does not have the pattern of the given
// number, or "" if there is none.
func (c *trial) differs(p value, number uint64) string {
	return differs(c.plan, p, manner{number: number, crowd: c.crowded})
}

// makeRow allocates a row of n values, or as many as there is room for, and checks that they are
// zero if that was promised.
func (c *trial) makeRow(n int) slice {
	n = c.fits(n)
	c.history.add(fmt.Sprintf("Make(%d)", n))
	name, row := c.a.Make(n)
	if row.len != n {
		c.fail("Make(%d) returned %d values", n, row.len)
	}
	if n > 0 && c.find(name) != row.first && c.find(name) != nil {
		c.fail("the name that Make(%d) returned does not identify its first value", n)
	}
	for i := range row.len {
		c.mustBeZero(fmt.Sprintf("Make(%d)", n), c.plan.index(row, i))
	}
	return row
}

// mustBeZero fails the test if a new value is not zero.
func (c *trial) mustBeZero(where string, p value) {
	if c.a.Dirty || c.promise == Apart || c.promise == FreedOnce {
		return
	}
	if field := notZero(c.plan, p); field != "" {
		c.fail("the value from %s, number %d, is not zero%s", where, c.number, within(field))
	}
}

// own adds a filled value to the live values.
func (c *trial) own(name any, at value, number uint64) {
	if c.a.Moves {
		at = nil
	}
	c.live = append(c.live, entry{name, at, number})
}

// find returns the current address of a live value, or nil if the allocator is a Writer without At.
func (c *trial) find(name any) value {
	if c.a.At == nil {
		return c.a.pointed(name)
	}
	p := c.a.At(name)
	if p == nil {
		c.fail("At(%v) of a live value found nothing", name)
	}
	return p
}

// verify checks every live value, and the number of live values.
func (c *trial) verify() {
	c.verifyLive()
	if got, want := c.lenOr(len(c.live)+c.others), len(c.live)+c.others; got != want {
		c.fail("Len is %d, but %d values are live", got, want)
	}
}

// verifyLive checks every live value.
func (c *trial) verifyLive() {
	for _, e := range c.live {
		p := c.find(e.name)
		if e.at != nil && e.at != p {
			c.fail("the %s, one of %d that are live, moved from %p to %p", c.nth(e.number), len(c.live), e.at, p)
		}
		if field := c.differs(p, e.number); field != "" {
			c.fail("the %s, one of %d that are live, has changed%s%s", c.nth(e.number), len(c.live), within(field), c.holds(p, c.numbersOfLive()))
		}
	}
}

// lenOr returns the number of live values according to Len, or the value of otherwise if the
// allocator has no Len.
func (c *trial) lenOr(otherwise int) int {
	if c.a.Len == nil {
		return otherwise
	}
	return c.a.Len()
}

// del frees the live value with index i, and returns its name.
func (c *trial) del(i int) any {
	e := c.live[i]
	c.live[i] = c.live[len(c.live)-1]
	c.live[len(c.live)-1] = entry{}
	c.live = c.live[:len(c.live)-1]
	c.history.add("Delete")
	c.a.Delete(e.name)
	return e.name
}

// reset frees all values.
func (c *trial) reset() {
	c.history.add("Reset")
	c.a.Reset()
	clear(c.live)
	c.live, c.others = c.live[:0], 0
}
