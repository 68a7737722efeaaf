// Package owner defines the interface between slabs and the arena that owns them. Slabs report to
// the arena when they are used. The arena therefore need not visit all of its slabs, and a type
// that a phase does not use costs nothing.
package owner

import "reflect"

// An Account describes the memory of all slabs of one arena. The slabs update it, and the arena
// reads it.
type Account struct {
	// Held is the total size in bytes of the chunks of all slabs.
	Held uint64

	// Entered is the total size in bytes of the chunks that slabs have begun to use since the arena
	// last set Entered to zero.
	Entered uint64

	// Used lists the slabs from which values were allocated in this phase, in the order of their
	// first use. A slab is identified by the index that the arena assigned to it.
	Used []int
}

// A Membership links a slab to the Account of its owner. A slab without an owner has the zero
// Membership.
type Membership struct {
	Account *Account
	Place   int
	Text    bool // the owner stores strings in the slab
}

// Begin records that the slab is used in this phase.
func (m *Membership) Begin() {
	if m.Account != nil {
		m.Account.Used = append(m.Account.Used, m.Place)
	}
}

// Enter records that the slab has begun to use a chunk of the given size.
func (m *Membership) Enter(bytes int) {
	if m.Account != nil {
		m.Account.Entered += uint64(bytes)
	}
}

// Hold adds bytes, which may be negative, to Account.Held.
func (m *Membership) Hold(bytes int) {
	if m.Account != nil {
		m.Account.Held += uint64(bytes) // modulo 2^64, so that a negative number is subtracted
	}
}

// A Span is the address range of a chunk, from Start up to End.
type Span struct{ Start, End uintptr }

// Join adds an unused slab, which is passed as a *slab.Slab[T], to an arena. It returns a value
// whose methods the arena calls from then on, and the Head from which the arena takes slots.
// Package slab sets this variable.
var Join func(slab any, arena Membership) (any, *Head)

// NewSlab is like Join but creates the slab, for values of type t. Package slab sets this variable.
var NewSlab func(t reflect.Type, arena Membership) (any, *Head)
