package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// lookedAt is the number of bytes of fresh memory that verify checks. If it checked more, the
// system would have to supply that memory.
const lookedAt = 4 << 10

// verify returns an error if an invariant of space is violated. The error describes the violation
// and its likely cause. verify checks every dead slot, and the next fresh slots.
func (p *space) verify() error {
	free := slices.Clone(p.free)
	slices.SortFunc(free, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	var before run
	holes := uint32(0)
	for _, r := range free {
		if r.first <= before.last || r.last < r.first || r.last > p.top {
			return fmt.Errorf("invalid run of dead slots #%d to #%d: it must be ascending, start after #%d, and end within the %d slots that were handed out; %s", r.first, r.last, before.last, p.top, checks.Misused)
		}
		for slot := r.first; slot <= r.last; slot++ {
			if !p.dead.has(slot) {
				return fmt.Errorf("slot #%d is in the list of dead slots, but not in their set; %s", slot, checks.Misused)
			}
		}
		if slot, ok := p.nonZero(r); ok {
			return fmt.Errorf("slot #%d was written to while free, most likely through a ref, pointer or Slice obtained before the Delete", slot)
		}
		holes += r.len()
		before = r
	}
	if inSet := p.dead.len(); holes != p.holes || inSet != p.holes {
		return fmt.Errorf("%d slots are dead, %d are in their set, and %d are recorded; %s", holes, inSet, p.holes, checks.Misused)
	}
	committed := p.region.Committed()
	if p.top > p.max || p.end(p.top) > committed {
		return fmt.Errorf("%d slots were handed out, more than the limit of %d or than fit in %d committed bytes; %s", p.top, p.max, committed, checks.Misused)
	}
	clean := min(p.end(p.dirty)+lookedAt, committed) / p.size // the slot after the last one to check
	if slot, ok := p.nonZero(run{p.dirty + 1, uint32(clean) - 1}); uintptr(p.dirty)+1 < clean && ok {
		return fmt.Errorf("#%d was never handed out and is not zero; a pointer or a Slice of another store went astray", slot)
	}
	return nil
}

// nonZero returns the first slot of the run that is not zero. It returns false if all slots are
// zero.
func (p *space) nonZero(r run) (slot uint32, ok bool) {
	if r.last < r.first {
		return 0, false
	}
	i := checks.NonZeroByte(p.bytes(r.first, r.last))
	return r.first + uint32(max(i, 0)/int(p.size)), i >= 0
}

// verify returns an error if an invariant of core or of its space is violated. The error describes
// the violation and its likely cause. No slot of a window may be allocated during the call.
func (c *core) verify() error {
	if c.closed {
		return nil
	}
	if err := c.space.verify(); err != nil {
		return err
	}
	taken := slices.Clone(c.free)
	for _, w := range append(slices.Clone(c.open), c.own) {
		if *w.end < *w.last || *w.end > c.top {
			return fmt.Errorf("the window #%d to #%d is inverted or exceeds the %d slots that were handed out; %s", *w.last+1, *w.end, c.top, checks.Misused)
		}
		if w.left() == 0 {
			continue
		}
		r := run{*w.last + 1, *w.end}
		if slot, ok := c.nonZero(r); ok {
			return fmt.Errorf("#%d was written before Alloc or New returned it, most likely through a ref, pointer or Slice obtained before a Reset", slot)
		}
		taken = append(taken, r)
	}
	slices.SortFunc(taken, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	for i := 1; i < len(taken); i++ {
		if taken[i].first <= taken[i-1].last {
			return fmt.Errorf("#%d is free in two places; %s", taken[i].first, checks.Misused)
		}
	}
	if c.texts.region != nil && c.texts.used > c.texts.region.Committed() {
		return fmt.Errorf("texts take %d bytes, but only %d are committed; %s", c.texts.used, c.texts.region.Committed(), checks.Misused)
	}
	return nil
}

// verifyIfCheap calls space.verify, but so rarely that the average cost of a call is constant. The
// panic message begins with the caller's name, which is passed in where. It does not check the
// windows, which other goroutines may be using. The caller must hold mu.
func (c *core) verifyIfCheap(where string) {
	if c.budget.Affords(int(c.holes) + len(c.dead)) {
		checks.MustHold(where, c.space.verify())
	}
}

// mustBeZero panics if one of the slots, which are about to be allocated, is not zero. The panic
// message begins with the caller's name, which is passed in where.
func (c *core) mustBeZero(where string, r run) {
	slot, ok := c.nonZero(r)
	if !ok {
		return
	}
	if place, deleted := c.deletedAt[slot]; deleted {
		panic(fmt.Sprintf("%s: #%d was written after it was deleted (at %s), through a stale ref, pointer or Slice", where, slot, place))
	}
	panic(fmt.Sprintf("%s: #%d was written before it was handed out, through a stale ref, pointer or Slice", where, slot))
}
