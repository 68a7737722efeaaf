package cache

// A table finds blocks by hash. It is a hash table with open addressing whose slots are ordered by
// hash (Amble and Knuth, Ordered hash tables, Computer Journal 1974). An unsuccessful search ends
// at the first greater hash, so the table can be seven eighths full. It grows in place, and an
// iteration in the order of the hashes can continue after the table has changed.
//
// A slot contains half of a hash, in the upper 32 bits, and the block's index in words plus 1, in
// the lower 32 bits. An empty slot is 0. The last slot is always empty.
type table struct {
	slots []uint64
	homes uint64 // number of slots that are the home of a hash; the slots after them take displaced entries
	count int
}

// tailSlots is the number of slots after the last home slot. If all slots from the home of an entry
// to the end are in use, the entry is rejected, which is acceptable for a cache. In a table that is
// seven eighths full, the probability is less than one in a million.
const tailSlots = 64

// mostOf returns the maximum number of entries in a table of n slots.
func mostOf(slots int) int { return (slots - tailSlots) / 8 * 7 }

func newTable(slots []uint64) table {
	return table{slots: slots, homes: uint64(len(slots) - tailSlots)}
}

func slotOf(h uint32, at uint64) uint64 { return uint64(h)<<32 | (at + 1) }
func hashOf(slot uint64) uint32         { return uint32(slot >> 32) }
func placeOf(slot uint64) uint64        { return uint64(uint32(slot)) - 1 }

// home returns the index of the slot at which a search for a hash begins.
func (t *table) home(h uint32) uint64 { return uint64(h) * t.homes >> 32 }

// seek returns the index of the first slot with the given hash or, if there is none, the index at
// which the hash would be inserted.
func (t *table) seek(h uint32) int {
	i := t.home(h)
	for t.slots[i] != 0 && hashOf(t.slots[i]) < h {
		i++
	}
	return int(i)
}

// find returns the index of the slot that refers to the block at index at, and whether there is
// such a slot. h is the hash of the block's key.
func (t *table) find(h uint32, at uint64) (int, bool) {
	slot := slotOf(h, at)
	for i := t.seek(h); hashOf(t.slots[i]) == h && t.slots[i] != 0; i++ {
		if t.slots[i] == slot {
			return i, true
		}
	}
	return 0, false
}

// insert adds the block at index at. It returns false if an entry would occupy the last slot, which
// must stay empty.
func (t *table) insert(h uint32, at uint64) bool {
	i := t.seek(h)
	end := i
	for t.slots[end] != 0 {
		end++
	}
	if end == len(t.slots)-1 {
		return false
	}
	copy(t.slots[i+1:end+1], t.slots[i:end])
	t.slots[i] = slotOf(h, at)
	t.count++
	return true
}

// remove empties a slot, and moves the displaced entries that follow it back by one slot.
func (t *table) remove(i int) {
	next := i + 1
	for t.slots[next] != 0 && t.home(hashOf(t.slots[next])) < uint64(next) {
		next++
	}
	copy(t.slots[i:next-1], t.slots[i+1:next])
	t.slots[next-1] = 0
	t.count--
}

// grow extends the table to the given slots. The slice must begin with the current slots of the
// table; the additional slots may contain arbitrary data. All entries fit, because the number of
// slots from the home of any hash to the end does not decrease. Each entry is moved twice: first to
// the end of the table, and then to its final slot, which is never after the first position.
func (t *table) grow(slots []uint64) {
	end := len(slots) - 1
	for i := len(t.slots) - 1; i >= 0; i-- {
		if t.slots[i] != 0 {
			end--
			slots[end] = t.slots[i]
		}
	}
	clear(slots[:end])
	slots[len(slots)-1] = 0
	t.slots, t.homes = slots, uint64(len(slots)-tailSlots)
	next := uint64(0)
	for i := uint64(end); i < uint64(len(slots)-1); i++ {
		slot := slots[i]
		slots[i] = 0
		next = max(t.home(hashOf(slot)), next)
		slots[next] = slot
		next++
	}
}
