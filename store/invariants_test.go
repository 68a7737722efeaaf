package store

import "reflect"

// Invariants says which of those that space.go and core.go state does not hold, if any. It is what
// checked builds look at.
func (s *Store[T]) Invariants() error { return s.own.core.verify() }

// CheckRecord says why New, which calls it first, refuses a type.
func CheckRecord(where string, t reflect.Type) error { return checkRecord(where, t) }
