package finding

import (
	"go/token"
	"iter"
)

// Firsts records mistakes in the order in which they were added, each with its first position in
// the source. The zero value is empty and ready to use.
type Firsts[M comparable] struct {
	at    map[M]token.Pos
	order []M
}

// Add records a mistake at a position. If the same mistake is added at several positions, Firsts
// keeps the one that comes first in the source.
func (f *Firsts[M]) Add(m M, pos token.Pos) {
	known, ok := f.at[m]
	if !ok {
		f.order = append(f.order, m)
	}
	if f.at == nil {
		f.at = map[M]token.Pos{}
	}
	if !ok || pos < known {
		f.at[m] = pos
	}
}

// All yields the mistakes with their positions, in the order in which they were added.
func (f *Firsts[M]) All() iter.Seq2[M, token.Pos] {
	return func(yield func(M, token.Pos) bool) {
		for _, m := range f.order {
			if !yield(m, f.at[m]) {
				return
			}
		}
	}
}
