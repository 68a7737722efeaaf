//go:build !coppice_checks && !race

package pool

import (
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// A shelf stores the values of a Pool. Outside checked builds it is a typed sync.Pool.
type shelf[T any] struct{ values sync.Pool }

// take returns a value that was put, or nil.
func (s *shelf[T]) take() *T {
	v, _ := s.values.Get().(*T)
	return v
}

// put keeps v. The place is used only in checked builds.
func (s *shelf[T]) put(v *T, _ checks.Place) { s.values.Put(v) }

// refuse does nothing outside checked builds.
func (s *shelf[T]) refuse(*T) {}
