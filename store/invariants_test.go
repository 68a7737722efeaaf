package store

// Invariants says which of those that space.go and core.go state does not hold, if any. It is what
// checked builds look at.
func (s *Store[T]) Invariants() error { return s.own.core.verify() }
