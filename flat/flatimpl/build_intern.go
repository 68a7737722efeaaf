package flatimpl

import (
	"hash/maphash"
	"math/bits"
)

// interned is a hash table of the strings in a tree, in which a Builder looks up equal strings. It
// contains no pointers: each slot stores an index into the string table, and lookups compare
// strings in the tree.
type interned struct {
	seed  maphash.Seed
	slots []internSlot // open addressing; the length is a power of two
	used  int
	stale bool // the tree has strings that are not in the table
}

// internSlot contains the index of a string in the string table, and part of the string's hash. The
// index is 0 if the slot is free.
type internSlot struct{ id, hash uint32 }

// leastInterned is the initial size of the hash table.
const leastInterned = 64

// find returns the slot of s, which contains the index of s or is free, and the hash of s.
func (x *interned) find(t *Tree, s string) (*internSlot, uint32) {
	if 4*x.used >= 3*len(x.slots) {
		x.grow(2 * len(x.slots))
	}
	return x.probe(t, s)
}

// probe is like find but does not grow the hash table.
func (x *interned) probe(t *Tree, s string) (*internSlot, uint32) {
	hash := uint32(maphash.String(x.seed, s))
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &x.slots[i]
		if slot.id == 0 || slot.hash == hash && t.string(slot.id) == s {
			return slot, hash
		}
	}
}

// lookup returns the index of s in the string table, or 0 if the hash table does not contain s. It
// does not change the hash table.
func (x *interned) lookup(t *Tree, s string) uint32 {
	if x.used == 0 {
		return 0
	}
	slot, _ := x.probe(t, s)
	return slot.id
}

// grow enlarges the hash table to the given number of slots, which must be a power of two.
func (x *interned) grow(slots int) {
	old := x.slots
	if old == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]internSlot, max(leastInterned, slots))
	mask := uint32(len(x.slots) - 1)
	for _, slot := range old {
		if slot.id == 0 {
			continue
		}
		i := slot.hash & mask
		for x.slots[i].id != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = slot
	}
}

// reset removes all strings and keeps the memory.
func (x *interned) reset() {
	clear(x.slots)
	x.used, x.stale = 0, false
}

// index adds all strings of a tree to the hash table.
func (x *interned) index(t *Tree) {
	x.stale = false
	if all := 1 << bits.Len(uint(len(t.ends)+len(t.ends)/3)); all > len(x.slots) {
		x.grow(all)
	}
	for i := 1; i < len(t.ends); i++ {
		s := t.string(uint32(i))
		if s == "" {
			continue
		}
		if slot, hash := x.find(t, s); slot.id == 0 {
			*slot = internSlot{uint32(i), hash}
			x.used++
		}
	}
}
