package alloctest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
)

// A trial is one test at work on one allocator: it makes the calls and writes them down,
// knows which values are live, and what is in them. Its methods panic with a broken
// promise, which attempt turns into an error.
type trial struct {
	open    func() allocator
	a       allocator
	promise Promise
	seed    uint64
	rng     *rand.Rand
	scale   Scale
	plan    *plan // of the values
	crowded bool  // values point to what others point to, because there are many
	spoiled bool  // the test misused the allocator, which may say so at the end

	history history
	number  uint64  // of the last value
	live    []entry // in the order in which they were handed out
	others  int     // live values that are not in live: those of rows, and of crowds
	watch   *watch  // what the values point to, if anybody wants to know
}

// An entry is a live value.
type entry struct {
	name   any
	at     value  // where it was when it was handed out; nil if it may move
	number uint64 // explains its contents
}

// newTrial opens an allocator for a test.
func newTrial(open func() allocator, promise Promise, scale Scale, seed uint64) *trial {
	a := open()
	return &trial{
		open: open, a: a, promise: promise, scale: scale, plan: a.plan,
		seed: seed, rng: rand.New(rand.NewPCG(seed, 0)),
	}
}

// beside is a trial of another allocator, whose failures are this one's.
func (c *trial) beside(a allocator) *trial {
	other := *c
	other.a, other.live, other.others, other.history = a, nil, 0, history{}
	other.rng = rand.New(rand.NewPCG(c.seed, c.rng.Uint64()))
	other.number += 1 << 32 // values of one have not the contents of the other's
	return &other
}

// broken is what fail panics with.
type broken struct{ error }

// fail ends the test.
func (c *trial) fail(format string, args ...any) {
	panic(broken{fmt.Errorf("broken promise: %s\n\t%s\n\tafter: %s\n\tseed: %d",
		string(c.promise), fmt.Sprintf(format, args...), c.history.String(), c.seed)})
}

// attempt runs the test, releases the allocator, and returns what was broken.
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
	return err // which may well be why Release fails too
}

// guarded runs a part of the test and returns what was broken. A panic of the allocator
// breaks the promise too.
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

// roomHint is what helps if the allocator was only full.
func (c *trial) roomHint() string {
	if live := len(c.live) + c.others; c.a.Room == 0 && live > 0 {
		return fmt.Sprintf(" (with %s values live; if the allocator has room for no more, say so in Allocator.Room)", commas(uint64(live)))
	}
	return ""
}

// release releases the allocator, if it can be, and returns what a panic said.
func (c *trial) release() string {
	if c.a.Release == nil {
		return ""
	}
	c.history.add("Release")
	return c.catch(c.a.Release)
}

// catch runs f and returns what it panicked with, "" if it did not. A panic of the runtime, such
// as a wild index, is no refusal but a failure; that make refuses a length is one.
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
			c.fail("a panic that is no refusal: %s", message)
		}
		if message == "" {
			c.fail("a panic without a word")
		}
	}()
	f()
	return ""
}

// add has the allocator hand out a value, checks that it is zero if that was promised,
// and fills it.
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

// fill writes the pattern of the last number to a value.
func (c *trial) fill(p value) {
	fill(c.plan, p, manner{number: c.number, crowd: c.crowded, watch: c.watch})
}

// differs returns the path of the first part of a value that has not the pattern.
func (c *trial) differs(p value, number uint64) string {
	return differs(c.plan, p, manner{number: number, crowd: c.crowded})
}

// makeRow has the allocator hand out a row of n values, or as many as there is room for,
// and checks that it is zero if that was promised.
func (c *trial) makeRow(n int) slice {
	n = c.fits(n)
	c.history.add(fmt.Sprintf("Make(%d)", n))
	name, row := c.a.Make(n)
	if row.len != n {
		c.fail("Make(%d) returned %d values", n, row.len)
	}
	if n > 0 && c.find(name) != row.first && c.find(name) != nil {
		c.fail("the name that Make(%d) returned is not that of its first value", n)
	}
	for i := range row.len {
		c.mustBeZero(fmt.Sprintf("Make(%d)", n), c.plan.index(row, i))
	}
	return row
}

// mustBeZero fails if a value that was handed out has something in it.
func (c *trial) mustBeZero(where string, p value) {
	if c.a.Dirty || c.promise == Apart || c.promise == FreedOnce {
		return
	}
	if field := notZero(c.plan, p); field != "" {
		c.fail("the value from %s, number %d, is not zero%s", where, c.number, within(field))
	}
}

// own makes a value that was filled one of the live ones.
func (c *trial) own(name any, at value, number uint64) {
	if c.a.Moves {
		at = nil
	}
	c.live = append(c.live, entry{name, at, number})
}

// find is where a live value is now, or nil if the allocator is a Writer, which need not
// tell.
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

// verify looks at every live value, and at how many there are.
func (c *trial) verify() {
	c.verifyLive()
	if got, want := c.lenOr(len(c.live)+c.others), len(c.live)+c.others; got != want {
		c.fail("Len is %d, and %d values are live", got, want)
	}
}

// verifyLive looks at every live value.
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

// lenOr is what the allocator says of how many values are live, or otherwise.
func (c *trial) lenOr(otherwise int) int {
	if c.a.Len == nil {
		return otherwise
	}
	return c.a.Len()
}

// del takes live value i back.
func (c *trial) del(i int) any {
	e := c.live[i]
	c.live[i] = c.live[len(c.live)-1]
	c.live[len(c.live)-1] = entry{}
	c.live = c.live[:len(c.live)-1]
	c.history.add("Delete")
	c.a.Delete(e.name)
	return e.name
}

// reset takes all values back.
func (c *trial) reset() {
	c.history.add("Reset")
	c.a.Reset()
	clear(c.live)
	c.live, c.others = c.live[:0], 0
}
