package store

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// A window is a run of free, zeroed slots that one goroutine fills without asking
// anybody: those after last, up to and including end. A Store has one, and so has
// each Writer. Put and New count last up; when it meets end, the window is moved.
//
// The methods here know nothing of T, so that the calls to them from Put and New are
// cheap enough for those to inline. For the same reason the two numbers stand in the
// Store or the Writer itself: the compiler counts every field on the way to them.
type window struct {
	last, end *uint32
	gone      bool // it belonged to a Writer that Reset or Close ended
	core      *core
}

// move makes the window the slots after last up to end.
func (w *window) move(last, end uint32) { *w.last, *w.end = last, end }

// What Put and New call, of a Store and of a Writer. Each passes its caller's name on: as an
// argument, or inlined, it would cost Put and New more than they may cost to inline.

//go:noinline
func (w *window) refillPut() { w.refill("store.Put") }

//go:noinline
func (w *window) refillNew() { w.refill("store.New") }

//go:noinline
func (w *window) refillWriterPut() { w.refill("store.Writer.Put") }

//go:noinline
func (w *window) refillWriterNew() { w.refill("store.Writer.New") }

// refill moves an empty window to free slots, and panics in the name of where if there
// are none.
func (w *window) refill(where string) {
	if err := w.tryRefill(); err != nil {
		panic(where + ": " + err.Error())
	}
}

// tryRefill moves an empty window to free slots: to a hole that Del left or, in a
// Writer, to fresh slots first, because they are many.
func (w *window) tryRefill() error {
	if err := w.usable(); err != nil {
		return err
	}
	c := w.core
	c.mu.Lock()
	defer c.mu.Unlock()
	isWriter := w != c.own
	if !isWriter && c.fillHole(w) {
		return nil
	}
	block := min(max(c.leastBlock, c.top), c.ownBlock)
	if isWriter {
		block = c.writerBlock
	}
	first, n, err := c.takeFresh(block, 1)
	if err != nil {
		if c.fillHole(w) {
			return nil
		}
		return err
	}
	w.move(first-1, first-1+n)
	return nil
}

// take takes n consecutive slots, n > 0, and returns the first.
func (w *window) take(n uint32) (uint32, error) {
	if w != nil && n <= w.left() {
		*w.last += n
		return *w.last - n + 1, nil
	}
	if err := w.usable(); err != nil {
		return 0, err
	}
	c := w.core
	c.mu.Lock()
	defer c.mu.Unlock()
	if *w.end != c.top {
		return c.takeRow(n) // the window stays for what comes later
	}
	more := n - w.left() // what follows the window is fresh: make it longer
	if _, _, err := c.takeFresh(more, more); err != nil {
		if first, ok := c.takeHole(n); ok {
			return first, nil
		}
		return 0, err
	}
	w.move(*w.last+n, *w.end+more)
	return *w.last - n + 1, nil
}

// takeRow takes n fresh slots or, if there is no room for more, n dead ones in a row.
func (c *core) takeRow(n uint32) (uint32, error) {
	first, _, err := c.takeFresh(n, n)
	if err != nil {
		if hole, ok := c.takeHole(n); ok {
			return hole, nil
		}
	}
	return first, err
}

// left is the count of slots in the window.
func (w *window) left() uint32 { return *w.end - *w.last }

// has tells whether the slot is in the window: taken, and not yet handed out.
func (w *window) has(slot uint32) bool { return *w.last < slot && slot <= *w.end }

// errNotMade is what the zero Store and the zero Writer say: they have no window.
var errNotMade = errors.New("this store was not made by store.New; a zero Store, or a zero Writer, cannot be used")

// made returns the core, and panics in the name of where if there is none.
func (w *window) made(where string) *core {
	if w == nil {
		panic(where + ": " + errNotMade.Error())
	}
	return w.core
}

// usable says why the window must not be filled again, if so.
func (w *window) usable() error {
	switch {
	case w == nil:
		return errNotMade
	case w.core.closed:
		return fmt.Errorf("the store is closed%s", w.core.at(w.core.closedAt))
	case w.gone:
		return fmt.Errorf("this Writer ended with a Reset or Close; take a new one")
	}
	return nil
}

// at returns where something happened, in checked builds.
func (c *core) at(p checks.Place) string {
	if !checks.Enabled {
		return ""
	}
	return fmt.Sprintf(" (at %s)", p)
}
