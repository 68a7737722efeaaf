package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/checks"
)

// Clone returns a Store with the same records under the same refs, and the same
// texts, by one copy of memory. It fails if the system has no room for it. To take
// copies again and again, [Store.CopyFrom] uses the memory of the last.
func (s *Store[T]) Clone() (*Store[T], error) {
	if err := s.own.usable(); err != nil {
		return nil, fmt.Errorf("store.Clone: %w", err)
	}
	c := s.own.core
	clone, err := open[T]("store.Clone", Options{Max: int(c.max), HugePages: HugePages(c.huge), Name: c.account.Name}, 1)
	if err != nil {
		return nil, err
	}
	if err := clone.own.core.makeRoom(c); err != nil {
		return nil, fmt.Errorf("store.Clone: %w", errors.Join(err, clone.Close()))
	}
	clone.own.core.copyFrom(c)
	return clone, nil
}

// CopyFrom replaces all records and texts of s by those of from, under the same refs,
// by one copy of memory, into the memory that s has already. For s it is a Reset:
// refs, pointers and slices from before are stale, and Writers end; but a copy from
// itself does nothing. It fails, and changes no record or text, if Max of s or the
// system has no room, with an error that wraps ErrFull, or if one of the two is closed.
func (s *Store[T]) CopyFrom(from *Store[T]) error {
	if err := errors.Join(s.own.usable(), from.own.usable()); err != nil {
		return fmt.Errorf("store.CopyFrom: %w", err)
	}
	c := s.own.core
	if s == from {
		return nil
	}
	if checks.Enabled {
		s.guard.Enter("store.CopyFrom")
		defer s.guard.Leave()
		from.guard.Enter("store.CopyFrom")
		defer from.guard.Leave()
		s.nilRecordIntact("store.CopyFrom")
		from.nilRecordIntact("store.CopyFrom")
	}
	if err := c.makeRoom(from.own.core); err != nil {
		return fmt.Errorf("store.CopyFrom: %w", err)
	}
	c.reset()
	c.copyFrom(from.own.core)
	return nil
}

// makeRoom takes memory for all that another core holds, and loses nothing if that
// fails.
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

// copyFrom makes an empty core, which has room, hold what another holds. What is left in
// the other's windows is nobody's in the copy.
func (c *core) copyFrom(from *core) {
	last := from.bound()
	copy(bytesOf(c.region, 0, c.end(last)), bytesOf(from.region, 0, c.end(last)))
	c.dirty = max(c.dirty, last)
	c.free, c.holes = append(c.free[:0], from.free...), from.holes
	c.dead = append(c.dead[:0], from.dead...)
	c.top = from.top // giveBack takes the own window's rest off it again
	for _, w := range append(slices.Clone(from.open), from.own) {
		last, end := *w.last, *w.end
		c.giveBack(&window{last: &last, end: &end})
	}
	c.own.move(c.top, c.top)
	c.texts.copyFrom(&from.texts)
}
