package store

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// A filler consists of a window and the core that supplies free slots for it. Each Store and each
// Writer has a filler. Alloc, New, Make and At call only methods of the filler.
//
// These methods do not depend on T. This makes the calls cheap enough for Alloc and New to be
// inlined.
type filler struct {
	window
	core *core
}

// Alloc and New of a Store and of a Writer call the following methods, each of which passes on the
// name of its caller. If Alloc and New passed the name as an argument, or if these methods were
// inlined, Alloc and New would exceed their inlining budget.

//go:noinline
func (f *filler) refillAlloc() { f.refill("store.Store.Alloc") }

//go:noinline
func (f *filler) refillNew() { f.refill("store.Store.New") }

//go:noinline
func (f *filler) refillWriterAlloc() { f.refill("store.Writer.Alloc") }

//go:noinline
func (f *filler) refillWriterNew() { f.refill("store.Writer.New") }

// refill moves an empty window to free slots. It panics if there are none. The panic message begins
// with the caller's name, which is passed in where.
func (f *filler) refill(where string) {
	if err := f.tryRefill(where); err != nil {
		panic(where + ": " + err.Error())
	}
}

// tryRefill moves an empty window to free slots. A Store tries holes first. A Writer tries fresh
// slots first, because they come in large blocks.
func (f *filler) tryRefill(where string) error {
	if err := f.usable(); err != nil {
		return err
	}
	if f.left() > 0 { // the caller has filled another window, and some of these slots as well
		panic(where + ": " + errCopied.Error())
	}
	c := f.core
	c.mu.Lock()
	defer c.mu.Unlock()
	if checks.Enabled {
		c.verifyIfCheap(where)
	}
	isWriter := &f.window != c.own
	if !isWriter && f.moveToHole(where) {
		return nil
	}
	block := min(max(c.leastBlock, c.top), c.ownBlock)
	if isWriter {
		block = c.writerBlock
	}
	first, n, err := c.takeFresh(block, 1)
	if err != nil {
		if f.moveToHole(where) {
			return nil
		}
		return err
	}
	f.moveTo(where, run{first, first + n - 1})
	return nil
}

// moveToHole moves the window to a run of dead slots, if there is one.
func (f *filler) moveToHole(where string) bool {
	hole, ok := f.core.takeNewestHole()
	if ok {
		f.moveTo(where, hole)
	}
	return ok
}

// moveTo moves the window to the slots of the run, which must be zero.
func (f *filler) moveTo(where string, r run) {
	if checks.Enabled {
		f.core.mustBeZero(where, r)
	}
	f.move(r.first-1, r.last)
}

// take reserves n consecutive free slots, where n > 0, and returns the first.
func (f *filler) take(n uint32) (uint32, error) {
	if f != nil && n <= f.left() {
		*f.last += n
		return *f.last - n + 1, nil
	}
	if err := f.usable(); err != nil {
		return 0, err
	}
	c := f.core
	c.mu.Lock()
	defer c.mu.Unlock()
	if *f.end != c.top {
		return c.takeRow(n) // the window keeps its slots for later
	}
	more := n - f.left() // fresh slots follow the window: extend it
	if _, _, err := c.takeFresh(more, more); err != nil {
		if first, ok := c.takeHole(n); ok {
			return first, nil
		}
		return 0, err
	}
	f.move(*f.last+n, *f.end+more)
	return *f.last - n + 1, nil
}

// mustBeLiveAt calls core.mustBeLive on behalf of At, whose inlining budget leaves no room for
// another argument.
//
//go:noinline
func (f *filler) mustBeLiveAt(slot uint32) {
	f.made("store.Store.At").mustBeLive("store.Store.At", slot)
}

// errNotMade is the error for a zero Store or a zero Writer, which has no filler.
var errNotMade = errors.New("this store was not made by store.New; a zero Store, or a zero Writer, cannot be used")

// errCopied is the error for a detected copy of a Store or a Writer.
var errCopied = errors.New("two hand out the same slots; " + checks.Misused)

// made returns the core. It panics if there is none. The panic message begins with the caller's
// name, which is passed in where.
func (f *filler) made(where string) *core {
	if f == nil {
		panic(where + ": " + errNotMade.Error())
	}
	return f.core
}

// usable returns an error if the window must not be moved to free slots: the filler is missing, the
// store is closed, or the Writer has ended.
func (f *filler) usable() error {
	switch {
	case f == nil:
		return errNotMade
	case f.core.closed:
		return fmt.Errorf("the store is closed%s", f.core.at(f.core.closedAt))
	case f.gone:
		return fmt.Errorf("this Writer ended with a Reset or Close; take a new one")
	}
	return nil
}
