package flat

import "hash/maphash"

// interned finds strings that a builder has already. Its table has no pointers: it
// holds numbers of strings, and looks their bytes up in the tree.
type interned struct {
	seed  maphash.Seed
	slots []internSlot // open addressing; a power of two of them
	used  int
}

// internSlot is a string's number, 0 for none, and a part of its hash.
type internSlot struct{ id, hash uint32 }

// leastInterned is how many slots a table starts with.
const leastInterned = 64

// find returns the slot of s: either it has the number of s, or it is free.
func (x *interned) find(t *Tree, s string) (*internSlot, uint32) {
	if 4*x.used >= 3*len(x.slots) {
		x.grow()
	}
	hash := uint32(maphash.String(x.seed, s))
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &x.slots[i]
		if slot.id == 0 || slot.hash == hash && t.string(slot.id) == s {
			return slot, hash
		}
	}
}

// grow doubles the table. The place of a slot follows from its hash.
func (x *interned) grow() {
	old := x.slots
	if old == nil {
		x.seed = maphash.MakeSeed()
	}
	x.slots = make([]internSlot, max(leastInterned, 2*len(old)))
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

// reset forgets all strings and keeps the table.
func (x *interned) reset() {
	clear(x.slots)
	x.used = 0
}
