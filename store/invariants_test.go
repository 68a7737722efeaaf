package store

import "reflect"

// Invariants returns an error if an invariant in space.go or core.go is violated. Checked builds
// use the same checks.
func (s *Store[T]) Invariants() error { return s.own.core.verify() }

// CheckRecord exports checkRecord, which New calls first. It returns an error if New rejects the
// type.
func CheckRecord(where string, t reflect.Type) error { return checkRecord(where, t) }
