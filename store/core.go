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

// The sizes in bytes of the blocks of fresh slots to which windows move. Slots that were used
// before a Reset are zeroed when their block is taken. A Store's first block after a Reset is
// therefore small, so that a short phase zeroes little more than it uses. Each later block is as
// large as all earlier blocks together, up to a size that fits the first-level cache. The blocks of
// Writers are larger, so that goroutines rarely contend for the lock.
const (
	leastBlockBytes  = 512
	ownBlockBytes    = 16 << 10
	writerBlockBytes = 64 << 10
)

// core is the part of a Store that does not depend on T: its slots, and the windows that cover some
// of them.
//
//	0    1 ............................ top ............. max
//	nil  live, dead, or in a window          fresh
//
// Invariants, in addition to the invariants of space: the free slots, the slots in each window and
// the fresh slots are disjoint; every slot in a window is zero.
type core struct {
	space
	mu   sync.Mutex // held to move windows, so that Writers and the Store can do so concurrently
	own  *window    // the window of the Store itself
	open []*window  // the windows of open Writers

	leastBlock, ownBlock, writerBlock uint32 // block sizes in slots

	texts texts

	budget            checks.Budget // for space.verify; empty outside checked builds
	closed            bool
	closedAt, resetAt checks.Place
	deletedAt         map[uint32]checks.Place // places of deletions, in checked builds
}

// newCore returns the core of an empty Store, without a window. A slot has the given size in bytes,
// and the core holds at most the given number of records. If records is 0, the default applies. The
// error message begins with the caller's name, which is passed in where.
func newCore(where string, size uintptr, records int, huge vmem.HugePages, account *vmem.Account) (*core, error) {
	c := &core{space: space{size: size, huge: huge, account: account}}
	c.leastBlock = uint32(max(1, leastBlockBytes/size))
	c.ownBlock = uint32(max(1, ownBlockBytes/size))
	c.writerBlock = uint32(max(1, writerBlockBytes/size))
	if err := c.reserve(where, records); err != nil {
		return nil, err
	}
	return c, nil
}

// giveBack returns the unused slots of a window to the core.
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

// bound returns the last slot that can be live. Slots after it are fresh, or in the store's own
// window.
func (c *core) bound() uint32 {
	if *c.own.end == c.top {
		return *c.own.last
	}
	return c.top
}

// len returns the number of live records, including the records that Writers have added to their
// windows.
func (c *core) len() int {
	n := c.top - c.holes - c.own.left()
	for _, w := range c.open {
		n -= w.left()
	}
	return int(n)
}

// live reports whether the slot holds a record.
func (c *core) live(slot uint32) bool {
	return slot != 0 && slot <= c.bound() && !c.dead.has(slot) && !c.own.has(slot) && !c.inWriter(slot)
}

// inWriter reports whether the slot is in the window of an open Writer.
func (c *core) inWriter(slot uint32) bool {
	return slices.ContainsFunc(c.open, func(w *window) bool { return w.has(slot) })
}

// mustBeLive panics if the slot does not hold a record. The panic message begins with the caller's
// name, which is passed in where.
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

// at formats a call site for a panic message. It returns "" except in checked builds, which record
// call sites.
func (c *core) at(p checks.Place) string {
	if !checks.Enabled {
		return ""
	}
	return fmt.Sprintf(" (at %s)", p)
}

// text returns the bytes of a Text. It panics if the Text is not valid. The panic message begins
// with the caller's name, which is passed in where.
func (c *core) text(where string, t Text) []byte {
	text, ok := c.texts.get(t)
	if !ok {
		panic(fmt.Sprintf("%s: the store has no text at %d to %d; was it Reset?", where, t.offset, uint64(t.offset)+uint64(t.length)))
	}
	return text
}

// segments calls visit for each run of live slots, in order, until visit returns false.
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

// endWriters invalidates all Writers of the store.
func (c *core) endWriters() {
	for _, w := range c.open {
		w.move(0, 0)
		w.gone = true
	}
	c.open = nil
}

// reset drops all records and strings. It has the same cost as space.reset.
func (c *core) reset() {
	c.endWriters()
	if checks.Enabled {
		c.resetAt = checks.Caller()
		c.mangle()
		clear(c.deletedAt)
	}
	c.own.move(0, 0)
	c.space.reset()
	c.texts.used = 0
}

// trim returns the memory above the last live record to the system.
func (c *core) trim() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.giveBack(c.own)
	c.lower()
	c.own.move(c.top, c.top)
	if checks.Enabled {
		c.resetAt = checks.Caller()
	}
	if err := c.space.trim(); err != nil {
		return err
	}
	return c.texts.trim()
}

// makeRoom commits enough memory for a copy of all records and strings of another core. If it
// fails, no data is lost.
func (c *core) makeRoom(from *core) error {
	last := from.bound()
	if last > c.max {
		return fmt.Errorf("%w: it holds at most %d records, and refs go up to %d", ErrFull, c.max, last)
	}
	if err := c.region.Commit(c.end(last)); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if err := c.texts.makeRoom(&from.texts, c.account, c.huge); err != nil {
		return fmt.Errorf("%w of text: %w", ErrFull, err)
	}
	return nil
}

// copyFrom copies another core into an empty core, which must have committed enough memory (see
// makeRoom). Slots that are unused in a window of the other core are free in the copy.
func (c *core) copyFrom(from *core) {
	c.space.copyFrom(&from.space, from.bound())
	for _, w := range append(slices.Clone(from.open), from.own) { // giveBack lowers top again by the rest of the store's own window
		last, end := *w.last, *w.end
		c.giveBack(&window{last: &last, end: &end})
	}
	c.own.move(c.top, c.top)
	c.texts.copyFrom(&from.texts)
}

// close releases all memory of the core.
func (c *core) close() error {
	c.endWriters()
	if checks.Enabled {
		c.closedAt = checks.Caller()
	}
	c.closed = true
	c.own.move(0, 0)
	return errors.Join(c.space.close(), c.texts.close())
}
