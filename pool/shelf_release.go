//go:build !coppice_checks && !race

package pool

import (
	"sync"

	"github.com/coppice-go/coppice/internal/checks"
)

// A shelf stores the idle values of a Pool. Outside checked builds, it is a typed sync.Pool.
type shelf[T any] struct{ values sync.Pool }

// take returns an idle value, or nil if there is none.
func (s *shelf[T]) take() *T {
	v, _ := s.values.Get().(*T)
	return v
}

// put makes v available to take. The call site is used only in checked builds.
func (s *shelf[T]) put(v *T, _ checks.Place) { s.values.Put(v) }

// refuse does nothing outside checked builds.
func (s *shelf[T]) refuse(*T) {}
