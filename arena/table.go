package arena

import (
	"math/bits"
	"reflect"

	"github.com/coppice-go/coppice/internal/owner"
)

// A table maps type words to entries. It is a hash table with linear probing and is at most half
// full.
type table struct {
	entries []entry // hash table; the length is a power of two
	known   []known // for each entry, the fields that are read less often
	shift   uint8   // a hash has 32-shift significant bits
	types   int     // number of entries in use
}

// An entry holds the data about a type T that every allocation reads. It fills half a cache line.
type entry struct {
	typ  uintptr     // the type word of *T; 0 if the entry is free
	head *owner.Head // allocates single values of type T
	size uintptr     // size of a T in bytes
	mask uint64      // bit i is set if word i of a T is a pointer, for types T of at most 64 words
}

// known holds the data about a type that only rare operations read.
type known struct {
	typ  reflect.Type
	slab any // slab of the type; nil if the type is plain
	at   int // index in Arena.slabs of the slab that allocates values of type T
}

// none is the head of all types whose values have no slab. It never has a free slot.
var none owner.Head

// hashOf returns the index at which the search for a type begins. Its constants suit the addresses
// of type descriptors, which lie within a few megabytes and are aligned to at least 8 bytes.
func (t *table) hashOf(typ uintptr) uint { return uint(uint32(typ>>3) * 0x9E3779B1 >> (t.shift & 31)) }

// find returns the index of the entry whose type word is typ, or -1 if the table has none.
func (t *table) find(typ uintptr) int {
	for i := t.hashOf(typ); i < uint(len(t.entries)); i = (i + 1) & uint(len(t.entries)-1) {
		switch t.entries[i].typ {
		case typ:
			return int(i)
		case 0:
			return -1
		}
	}
	return -1
}

// firstEntries is the length of the first table.
const firstEntries = 16

// enter adds a type that is not in the table yet and returns the index of its entry.
func (t *table) enter(e entry, k known) int {
	if 2*(t.types+1) > len(t.entries) {
		old := *t
		n := max(firstEntries, 2*len(old.entries))
		*t = table{entries: make([]entry, n), known: make([]known, n), shift: uint8(32 - bits.TrailingZeros(uint(n)))}
		for i, e := range old.entries {
			if e.typ != 0 {
				t.enter(e, old.known[i])
			}
		}
	}
	i := t.hashOf(e.typ)
	for t.entries[i].typ != 0 {
		i = (i + 1) & uint(len(t.entries)-1)
	}
	t.entries[i], t.known[i] = e, k
	t.types++
	return int(i)
}

// entryOf returns the index of the entry for type T. If the table has no such entry, entryOf adds
// it. pointer is a nil *T.
func (a *Arena) entryOf(pointer any) int {
	if i := a.types.find(wordOf(pointer)); i >= 0 {
		return i
	}
	return a.meet(pointer)
}

// meet adds an entry for T, a type that the arena has not seen before, and returns the index of the
// entry. pointer is a nil *T.
//
//go:noinline
func (a *Arena) meet(pointer any) int {
	a.begin()
	t := reflect.TypeOf(pointer).Elem()
	e := entry{typ: wordOf(pointer), size: t.Size()}
	k := known{typ: t}
	if e.size <= maskBytes {
		addPointers(t, 0, &e.mask)
	}
	if isPlain(t) {
		e.head, k.at = a.plain.home(t.Size())
	} else {
		e.head = a.adopt(&k)
	}
	return a.types.enter(e, k)
}

// adopt creates a slab for the type of k, adds it to the arena and returns its head.
func (a *Arena) adopt(k *known) *owner.Head {
	made, head := owner.NewSlab(k.typ, a.membership())
	k.slab, k.at = made, len(a.slabs)
	a.slabs = append(a.slabs, ofSlab(made))
	return head
}

// slabOf returns the *slab.Slab[T] of the arena. A plain type has no slab of its own until slabOf
// creates it. pointer is a nil *T.
func (a *Arena) slabOf(pointer any) any {
	i := a.entryOf(pointer)
	k := &a.types.known[i]
	if k.slab == nil {
		a.types.entries[i].head = a.adopt(k)
	}
	return k.slab
}

// isPlain reports whether values of type t may be stored in memory that has held values of other
// types. This requires that t has no pointers and that every bit pattern is a valid value. bool is
// excluded: the compiler assumes that a bool is 0 or 1, and drops the bounds check where a bool
// becomes an index. A write through a stale *int could set it to 200.
func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || isPlain(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if !isPlain(field.Type) {
				return false
			}
		}
		return true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	default:
		return false
	}
}

// begin adds the slabs of plain to the arena, unless it has already done so.
func (a *Arena) begin() {
	if len(a.slabs) > 0 {
		return
	}
	for place, s := range [plainSlabs]any{&a.plain.words, &a.plain.pairs, &a.plain.triples, &a.plain.quads} {
		member := a.membership()
		member.Text = place == 0 // strings are stored in words
		made, head := owner.Join(s, member)
		a.slabs = append(a.slabs, ofSlab(made))
		a.plain.heads[place] = head
	}
}

// membership returns the Membership for the next slab that is added to the arena.
func (a *Arena) membership() owner.Membership {
	return owner.Membership{Account: &a.account, Place: len(a.slabs)}
}

// pointerBytes is the size of a pointer. maskBytes is the size of the largest value that a mask can
// describe with one bit for each word.
const (
	pointerBytes = bits.UintSize / 8
	maskBytes    = 64 * pointerBytes
)

// addPointers sets the bits of the mask for the pointers in a value of type t. at is the byte
// offset of that value within the value that the mask describes, which has at most 64 words.
func addPointers(t reflect.Type, at uintptr, mask *uint64) {
	word := at / pointerBytes
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Map, reflect.Chan, reflect.Func, reflect.String, reflect.Slice:
		*mask |= 1 << word
	case reflect.Interface:
		*mask |= 2 << word // the first word points to a type, which the collector does not track
	case reflect.Array:
		if t.Size() == 0 {
			return // the length of a zero-size array is unlimited
		}
		for i := range t.Len() {
			addPointers(t.Elem(), at+uintptr(i)*t.Elem().Size(), mask)
		}
	case reflect.Struct:
		for field := range t.Fields() {
			addPointers(field.Type, at+field.Offset, mask)
		}
	}
}
