// Package owner defines the interface through which slabs report to the arena that owns them.
// Because slabs report to the arena, the arena does not visit all of its slabs, and a type that a
// phase does not use has no cost.
package owner

import "reflect"

// An Account describes the memory of all slabs of one arena. The slabs update it, and the arena
// reads it.
type Account struct {
	// Held is the size of all chunks of all slabs, in bytes.
	Held uint64

	// Entered is the total size in bytes of the chunks from which values were first allocated since
	// the arena set it to zero.
	Entered uint64

	// Used lists the slabs from which values were allocated in this phase, in the order of their
	// first use. A slab is identified by the index that the arena assigned to it.
	Used []int
}

// A Membership is the link of a slab to its owner. A slab without an owner has the zero Membership.
type Membership struct {
	Account *Account
	Place   int
	Text    bool // the owner stores strings in the slab
}

// Begin records that values of the slab are allocated in this phase.
func (m *Membership) Begin() {
	if m.Account != nil {
		m.Account.Used = append(m.Account.Used, m.Place)
	}
}

// Enter records that values are allocated from a further chunk, of the given size.
func (m *Membership) Enter(bytes int) {
	if m.Account != nil {
		m.Account.Entered += uint64(bytes)
	}
}

// Hold adds a number of bytes to Account.Held; a negative number is subtracted.
func (m *Membership) Hold(bytes int) {
	if m.Account != nil {
		m.Account.Held += uint64(bytes) // modulo 2^64, so that a negative number is subtracted
	}
}

// A Span is the address range of a chunk, from Start up to End.
type Span struct{ Start, End uintptr }

// Join makes an unused slab, given as a pointer to a slab.Slab, a member of an arena. It returns
// the interface that the arena uses afterwards, and the Head from which the arena takes values.
// Package slab sets this variable.
var Join func(slab any, arena Membership) (any, *Head)

// NewSlab is like Join for a new slab of values of type t. The new slab allocates memory like a
// slab.Slab of t. Package slab sets this variable.
var NewSlab func(t reflect.Type, arena Membership) (any, *Head)
