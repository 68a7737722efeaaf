package store

import (
	"errors"
	"fmt"

	"github.com/coppice-go/coppice/internal/checks"
)

// Clone returns a Store with the same records under the same refs, and with the same strings. It
// copies the memory of all records at once, and then that of all strings. It fails if the system
// has no memory for the copy. To copy repeatedly, use [Store.CopyFrom], which reuses memory.
func (s *Store[T]) Clone() (*Store[T], error) {
	if err := s.own.usable(); err != nil {
		return nil, fmt.Errorf("store.Store.Clone: %w", err)
	}
	if checks.Enabled {
		checks.MustHold("store.Store.Clone", s.broken())
	}
	c := s.own.core
	clone, err := open[T]("store.Store.Clone", Options{Max: int(c.max), HugePages: c.huge, Name: c.account.Name}, 1)
	if err != nil {
		return nil, err
	}
	if err := clone.own.core.makeRoom(c); err != nil {
		return nil, fmt.Errorf("store.Store.Clone: %w", errors.Join(err, clone.Close()))
	}
	clone.own.core.copyFrom(c)
	return clone, nil
}

// CopyFrom replaces all records and strings of s by the records and strings of another Store, under
// the same refs. It copies them into the memory that s already has. As with Reset, older refs,
// pointers and slices of s become stale, and all its Writers end. Copying s to itself does nothing.
// CopyFrom fails, and changes no record or string, if either store is closed, if the Max of s is
// too small, or if the system has no memory. The last two errors wrap ErrFull.
func (s *Store[T]) CopyFrom(from *Store[T]) error {
	if err := errors.Join(s.own.usable(), from.own.usable()); err != nil {
		return fmt.Errorf("store.Store.CopyFrom: %w", err)
	}
	c := s.own.core
	if s == from {
		return nil
	}
	if checks.Enabled {
		s.guard.Enter("store.Store.CopyFrom")
		defer s.guard.Leave()
		from.guard.Enter("store.Store.CopyFrom")
		defer from.guard.Leave()
		checks.MustHold("store.Store.CopyFrom", s.broken())
		checks.MustHold("store.Store.CopyFrom", from.broken())
	}
	if err := c.makeRoom(from.own.core); err != nil {
		return fmt.Errorf("store.Store.CopyFrom: %w", err)
	}
	c.reset()
	c.copyFrom(from.own.core)
	return nil
}
