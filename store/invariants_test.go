package store

import "reflect"

// Invariants returns the violated invariant of those in space.go and core.go, if any. Checked
// builds use the same checks.
func (s *Store[T]) Invariants() error { return s.own.core.verify() }

// CheckRecord returns the reason why New, which calls it first, rejects a type.
func CheckRecord(where string, t reflect.Type) error { return checkRecord(where, t) }
