package store

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/vmem"
)

// Sizes of the blocks of fresh slots that windows move to, in bytes. Slots that were
// used before a Reset are zeroed when their block is taken. So a Store's first block
// after a Reset is small, lest a small phase zeroes much more than it uses; the next are
// as large as all before them together, up to what fits the first-level cache. A
// Writer's is larger, so that goroutines rarely meet.
const (
	leastBlockBytes  = 512
	ownBlockBytes    = 16 << 10
	writerBlockBytes = 64 << 10
)

// core is all of a Store that does not depend on T: which slots are free, which are
// memory, and who may fill which. Slot i is the record of ref i; slot 0 is nil.
//
//	0    1 ............................ top ............. max
//	nil  taken: live, dead, or in a window   fresh
//	     [ zero or not ...... dirty ][ zero ... ]
//
// Invariants: a slot is dead if and only if it is in one run of free; no slot is in
// two of: free, a window, the fresh ones; every slot above dirty is zero, and so is
// every dead slot and every slot in a window.
type core struct {
	mu   sync.Mutex // held to move windows, so that Writers and the Store can do so at once
	own  *window    // the Store's own
	open []*window  // those of open Writers

	size uintptr // bytes of a slot
	max  uint32  // the greatest ref
	top  uint32  // slots up to here have been taken since the last Reset

	dirty uint32 // slots up to here may be other than zero
	free  []run  // dead slots; the last run is used first
	holes uint32 // slots in free
	dead  bitmap // the same as a set

	leastBlock, ownBlock, writerBlock uint32 // slots in a block

	huge    vmem.HugePages
	region  *vmem.Region
	account *vmem.Account
	texts   texts

	closed            bool
	closedAt, resetAt checks.Place
	deletedAt         map[uint32]checks.Place // in checked builds
}

// A run is the slots from first to last.
type run struct{ first, last uint32 }

// len is the count of slots in the run.
func (r run) len() uint32 { return r.last - r.first + 1 }

// takeFresh takes up to n slots above top, but not fewer than least, and returns the
// first and how many.
func (c *core) takeFresh(n, least uint32) (first, got uint32, err error) {
	room := c.max - c.top
	if room < least {
		return 0, 0, fmt.Errorf("%w: it holds %d of at most %d records", ErrFull, c.top-c.holes, c.max)
	}
	n = min(n, room)
	if err := c.region.Commit(c.end(c.top + n)); err != nil {
		n = least
		if err := c.region.Commit(c.end(c.top + n)); err != nil {
			return 0, 0, fmt.Errorf("%w: it holds %d records, and %w", ErrFull, c.top-c.holes, err)
		}
	}
	if c.dirty > c.top {
		c.clear(c.top+1, min(c.dirty, c.top+n))
	}
	first = c.top + 1
	c.top += n
	c.dirty = max(c.dirty, c.top)
	return first, n, nil
}

// end is the byte after a slot.
func (c *core) end(slot uint32) uintptr { return (uintptr(slot) + 1) * c.size }

// fillHole moves the window to a run of dead slots, if there is one.
func (c *core) fillHole(w *window) bool {
	if len(c.free) == 0 {
		return false
	}
	r := c.free[len(c.free)-1]
	c.free = c.free[:len(c.free)-1]
	c.holes -= r.len()
	c.dead.clear(r)
	w.move(r.first-1, r.last)
	return true
}

// addHole makes the slots of the run dead; they are zero already.
func (c *core) addHole(r run) {
	c.dead.set(r, c.top)
	c.holes += r.len()
	if n := len(c.free); n > 0 {
		switch newest := &c.free[n-1]; { // records are often deleted in order
		case newest.last+1 == r.first:
			newest.last = r.last
			return
		case r.last+1 == newest.first:
			newest.first = r.first
			return
		}
	}
	c.free = append(c.free, r)
}

// takeHole takes n dead slots in a row, if there are so many, and returns the first.
// It looks at all runs, so it is for stores that are full otherwise.
func (c *core) takeHole(n uint32) (first uint32, ok bool) {
	for i := range c.free {
		r := &c.free[i]
		if r.len() < n {
			continue
		}
		taken := run{r.first, r.first + n - 1}
		if taken.last == r.last {
			c.free = slices.Delete(c.free, i, i+1)
		} else {
			r.first += n
		}
		c.holes -= n
		c.dead.clear(taken)
		return taken.first, true
	}
	return 0, false
}

// giveBack takes the slots that are left in the window away from it.
func (c *core) giveBack(w *window) {
	switch {
	case w.left() == 0:
	case *w.end == c.top:
		c.top = *w.last
	default:
		c.addHole(run{*w.last + 1, *w.end})
	}
	*w.end = *w.last
}

// bound is the last slot that may be live.
func (c *core) bound() uint32 {
	if *c.own.end == c.top {
		return *c.own.last
	}
	return c.top
}

// len is the count of live records, those in Writers' windows included.
func (c *core) len() int {
	n := c.top - c.holes - c.own.left()
	for _, w := range c.open {
		n -= w.left()
	}
	return int(n)
}

// live tells whether the slot holds a record.
func (c *core) live(slot uint32) bool {
	return slot != 0 && slot <= c.bound() && !c.dead.has(slot) && !c.own.has(slot) && !c.inWriter(slot)
}

// mustBeLive panics in the name of where if the slot holds no record.
func (c *core) mustBeLive(where string, slot uint32) {
	if c.live(slot) {
		return
	}
	switch {
	case c.closed:
		panic(fmt.Sprintf("%s: the store is closed%s", where, c.at(c.closedAt)))
	case slot == 0:
		panic(where + ": #0 is nil")
	case slot <= c.bound() && (c.dead.has(slot) || c.deletedAt[slot] != checks.Place{}):
		panic(fmt.Sprintf("%s: #%d was deleted%s", where, slot, c.at(c.deletedAt[slot])))
	case slot <= c.dirty:
		panic(fmt.Sprintf("%s: #%d was dropped by Reset or Trim, or never handed out%s", where, slot, c.at(c.resetAt)))
	default:
		panic(fmt.Sprintf("%s: #%d was never handed out; the last record is #%d", where, slot, c.bound()))
	}
}

// mustBeLiveAt is mustBeLive for At, which has no room for an argument more.
//
//go:noinline
func (w *window) mustBeLiveAt(slot uint32) { w.made("store.At").mustBeLive("store.At", slot) }

// segments calls visit for the runs of live slots, in order, until it returns false.
func (c *core) segments(visit func(run) bool) {
	var gaps []run
	for _, w := range append(slices.Clone(c.open), c.own) {
		if w.left() > 0 {
			gaps = append(gaps, run{*w.last + 1, *w.end})
		}
	}
	gaps = append(gaps, c.free...)
	slices.SortFunc(gaps, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	next, bound := uint32(1), c.bound()
	for _, gap := range gaps {
		if gap.first > bound {
			break
		}
		if next < gap.first && !visit(run{next, gap.first - 1}) {
			return
		}
		next = gap.last + 1
	}
	if next <= bound {
		visit(run{next, bound})
	}
}

// endWriters makes all Writers of the store unusable.
func (c *core) endWriters() {
	for _, w := range c.open {
		w.move(0, 0)
		w.gone = true
	}
	c.open = nil
}

// reset forgets all records. It costs nothing for each, but for the bitmap of dead
// slots, if there is one: an eighth of a byte for each slot.
func (c *core) reset() {
	c.endWriters()
	if checks.Enabled {
		c.resetAt = checks.Caller()
		c.mangle()
		clear(c.deletedAt)
	}
	c.own.move(0, 0)
	c.top = 0
	c.free, c.holes = c.free[:0], 0
	clear(c.dead)
	c.texts.used = 0
}

// trim gives the memory above the last live record back to the system.
func (c *core) trim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(c.own)
	for c.top > 0 && c.dead.has(c.top) && !c.inWriter(c.top) {
		c.top--
	}
	c.own.move(c.top, c.top)
	c.free = slices.DeleteFunc(c.free, func(r run) bool { return r.first > c.top })
	c.holes = 0
	for _, r := range c.free { // none reaches across top, which is not dead
		c.holes += r.len()
	}
	c.dead = c.dead.upTo(c.top)
	if checks.Enabled {
		c.resetAt = checks.Caller()
	}
	if err := c.region.Decommit(c.end(c.top)); err != nil {
		return err
	}
	c.dirty = uint32(min(uint64(c.dirty), uint64(c.region.Committed()/c.size)))
	return c.texts.trim()
}

// inWriter tells whether the slot is in the window of an open Writer.
func (c *core) inWriter(slot uint32) bool {
	return slices.ContainsFunc(c.open, func(w *window) bool { return w.has(slot) })
}

// close gives everything back.
func (c *core) close() error {
	c.endWriters()
	if checks.Enabled {
		c.closedAt = checks.Caller()
	}
	c.closed = true
	c.own.move(0, 0)
	c.top = 0
	c.free, c.holes, c.dead = nil, 0, nil
	return errors.Join(c.region.Close(), c.texts.close())
}
