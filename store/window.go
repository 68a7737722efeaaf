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

// refill moves an empty window to free slots, and panics if there are none.
func (w *window) refill() {
	if err := w.tryRefill(); err != nil {
		panic("store.Put: " + err.Error())
	}
}

// tryRefill moves an empty window to free slots: to a hole that Del left or, in a
// Writer, to fresh slots first, because they are many.
func (w *window) tryRefill() error {
	if w == nil {
		return errNotMade
	}
	c := w.core
	if err := c.usable(w); err != nil {
		return err
	}
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
	if w == nil {
		return 0, errNotMade
	}
	if n <= w.left() {
		*w.last += n
		return *w.last - n + 1, nil
	}
	c := w.core
	if err := c.usable(w); err != nil {
		return 0, err
	}
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

var errNotMade = errors.New("this store was not made by store.New")

// usable says why the window must not be filled again, if so.
func (c *core) usable(w *window) error {
	switch {
	case c.closed:
		return fmt.Errorf("the store is closed%s", c.at(c.closedAt))
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
