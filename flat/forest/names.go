package forest

import (
	"bytes"
	"hash/maphash"
)

// names is a hash table that finds the trees of a Reader by name. It contains no pointers: it
// stores the indexes of trees, and compares names in place.
type names struct {
	seed  maphash.Seed
	slots []nameSlot // open addressing; the length is a power of two
	trees int        // number of trees added so far
}

// nameSlot contains the index of a tree plus 1, or 0 if the slot is free, and part of the hash of
// the tree's name.
type nameSlot struct{ tree, hash uint32 }

// find returns the index of the last tree with the given name, and reports whether there is one.
func (x *names) find(s *sight, name string) (int, bool) {
	x.add(s)
	if len(x.slots) == 0 {
		return 0, false
	}
	slot := x.slot(s, uint32(maphash.String(x.seed, name)), []byte(name))
	return int(slot.tree) - 1, slot.tree != 0
}

// slot returns the slot of a name, or a free slot if the table does not contain the name.
func (x *names) slot(s *sight, hash uint32, name []byte) *nameSlot {
	mask := uint32(len(x.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		slot := &x.slots[i]
		if slot.tree == 0 {
			return slot
		}
		if slot.hash == hash {
			tree := int(slot.tree) - 1
			if seg := s.segment(tree); bytes.Equal(seg.name(tree-seg.first), name) {
				return slot
			}
		}
	}
}

// add adds the names of all trees that are not in the table yet.
func (x *names) add(s *sight) {
	if x.trees == s.trees {
		return
	}
	x.grow(s.trees)
	for _, seg := range s.segments {
		for i := max(0, x.trees-seg.first); i < int(seg.head.trees); i++ {
			name := seg.name(i)
			hash := uint32(maphash.Bytes(x.seed, name))
			*x.slot(s, hash, name) = nameSlot{uint32(seg.first+i) + 1, hash}
		}
	}
	x.trees = s.trees
}

// grow ensures that the table has capacity for the given number of names.
func (x *names) grow(most int) {
	if x.slots == nil {
		x.seed = maphash.MakeSeed()
	}
	if 3*len(x.slots) >= 4*most {
		return
	}
	size := 64
	for 3*size < 4*most {
		size *= 2
	}
	old := x.slots
	x.slots = make([]nameSlot, size)
	mask := uint32(size - 1)
	for _, slot := range old {
		if slot.tree == 0 {
			continue
		}
		i := slot.hash & mask
		for x.slots[i].tree != 0 {
			i = (i + 1) & mask
		}
		x.slots[i] = slot
	}
}
