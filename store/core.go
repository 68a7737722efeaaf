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

// Sizes in bytes of the blocks of fresh slots that windows move to. Slots that were used before a
// Reset are zeroed when their block is taken. A Store's first block after a Reset is therefore
// small, so that a small phase zeroes little more than it uses. Each later block is as large as all
// earlier ones together, up to a size that fits the first-level cache. A Writer's block is larger,
// so that goroutines rarely contend.
const (
	leastBlockBytes  = 512
	ownBlockBytes    = 16 << 10
	writerBlockBytes = 64 << 10
)

// core is the part of a Store that does not depend on T: its slots, and the windows over some of
// them.
//
//	0    1 ............................ top ............. max
//	nil  live, dead, or in a window          fresh
//
// Invariants, in addition to those of space: the free slots, the slots in each window and the fresh
// slots are disjoint; every slot in a window is zero.
type core struct {
	space
	mu   sync.Mutex // held to move windows, so that Writers and the Store can do so concurrently
	own  *window    // the Store's own
	open []*window  // the windows of open Writers

	leastBlock, ownBlock, writerBlock uint32 // slots in a block

	texts texts

	budget            checks.Budget // for space.verify; empty outside checked builds
	closed            bool
	closedAt, resetAt checks.Place
	deletedAt         map[uint32]checks.Place // in checked builds
}

// newCore returns the core of an empty Store, without a window. A slot has the given size in bytes,
// and the core holds at most the given number of records; 0 means the default. Error messages begin
// with where, the name of the caller.
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

// giveBack returns the unused slots of the window to the core.
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

// bound returns the last slot that may be live.
func (c *core) bound() uint32 {
	if *c.own.end == c.top {
		return *c.own.last
	}
	return c.top
}

// len returns the number of live records, including those in Writers' windows.
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

// mustBeLive panics if the slot holds no record. The panic message begins with where, the name of
// the caller.
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

// at formats the call site of an earlier call, in checked builds.
func (c *core) at(p checks.Place) string {
	if !checks.Enabled {
		return ""
	}
	return fmt.Sprintf(" (at %s)", p)
}

// text returns the bytes of a Text. It panics if the Text is not valid. The panic message begins
// with where, the name of the caller.
func (c *core) text(where string, t Text) []byte {
	text, ok := c.texts.get(t)
	if !ok {
		panic(fmt.Sprintf("%s: the store has no text at %d to %d; was it Reset?", where, t.offset, uint64(t.offset)+uint64(t.length)))
	}
	return text
}

// segments calls visit for the runs of live slots, in order, until visit returns false.
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

// reset drops all records and strings. It costs as much as space.reset.
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

// makeRoom commits memory for a copy of everything that another core holds. If it fails, no data is
// lost.
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

// copyFrom copies another core into an empty core that has committed enough memory (see makeRoom).
// Unused slots in the windows of the other core do not belong to a window in the copy.
func (c *core) copyFrom(from *core) {
	c.space.copyFrom(&from.space, from.bound())
	for _, w := range append(slices.Clone(from.open), from.own) { // giveBack lowers top again by the rest of the store's own window
		last, end := *w.last, *w.end
		c.giveBack(&window{last: &last, end: &end})
	}
	c.own.move(c.top, c.top)
	c.texts.copyFrom(&from.texts)
}

// close releases all memory.
func (c *core) close() error {
	c.endWriters()
	if checks.Enabled {
		c.closedAt = checks.Caller()
	}
	c.closed = true
	c.own.move(0, 0)
	return errors.Join(c.space.close(), c.texts.close())
}
