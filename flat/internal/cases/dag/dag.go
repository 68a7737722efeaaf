// Package dag is a schema whose nodes may have several parents.
package dag

//go:generate go run github.com/coppice-go/coppice/cmd/coppice flat -out ../dagflat -cpp ../cpp/dagflat.hpp

// Term is a term of a rewriting system.
//
//flat:sum
//flat:root Term
//flat:share
type Term interface{ isTerm() }

// Atom is a symbol.
type Atom struct {
	Name string `flat:"intern"`
}

// Pair contains two terms, which may be the same.
type Pair struct{ A, B Term }

// List contains any number of terms.
type List struct{ Items []Term }

func (*Atom) isTerm() {}
func (*Pair) isTerm() {}
func (*List) isTerm() {}
