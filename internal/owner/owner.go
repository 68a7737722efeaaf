// Package owner is what slabs tell the arena that owns them. The arena does not walk all of its
// slabs: a type that a phase does not use costs it nothing.
package owner

import "reflect"

// An Account is kept by all slabs of one arena together. The arena reads it.
type Account struct {
	// Held is the size of all chunks of all slabs, in bytes.
	Held uint64

	// Entered is the size of all chunks that began to hand out values since the arena set it to
	// zero, in bytes.
	Entered uint64

	// Used names the slabs that began to hand out values in this phase, in the order in which
	// they began. A name is the place that the arena gave the slab.
	Used []int
}

// A Membership is what a slab knows of its owner. The zero Membership is that of a slab without
// one.
type Membership struct {
	Account *Account
	Place   int
	Text    bool // the owner makes strings of the slab's values
}

// Begin notes that the slab hands out values in this phase.
func (m *Membership) Begin() {
	if m.Account != nil {
		m.Account.Used = append(m.Account.Used, m.Place)
	}
}

// Enter notes that the slab hands out values of another chunk, of so many bytes.
func (m *Membership) Enter(bytes int) {
	if m.Account != nil {
		m.Account.Entered += uint64(bytes)
	}
}

// Hold notes that the slab holds so many bytes more, or fewer if the count is negative.
func (m *Membership) Hold(bytes int) {
	if m.Account != nil {
		m.Account.Held += uint64(bytes) // modulo 2^64, so that a negative count is taken away
	}
}

// A Span is the addresses of a chunk, from Start up to End.
type Span struct{ Start, End uintptr }

// Join makes a slab, a pointer to an unused slab.Slab, one of an arena's, and returns what the
// arena asks afterwards, and what it takes values from. Package slab sets it.
var Join func(slab any, arena Membership) (any, *Head)

// NewSlab is Join for a new slab of values of type t. Its memory is that of a slab.Slab of t.
// Package slab sets it.
var NewSlab func(t reflect.Type, arena Membership) (any, *Head)
