package hashmap

import "fmt"

// put returns the address of the value of *k, whose hash is h. If the key was not present, put adds
// it with an undefined value, and found is false. If put fails, the Map does not change.
func (m *core[K, V]) put(h uint64, k *K) (v *V, found bool, err error) {
	if v := m.find(h, k); v != nil {
		m.changes++
		return v, true, nil
	}
	v, err = m.add(h, k)
	return v, false, err
}

// add implements put for a key that is known not to be present.
func (m *core[K, V]) add(h uint64, k *K) (v *V, err error) {
	if m.most > 0 && m.length >= m.most {
		return nil, fmt.Errorf("%w: it has %d entries, which is Options.Max", ErrFull, m.length)
	}
	m.changes++
	group, s, used, err := m.freeSlot(h)
	if err != nil {
		return nil, err
	}
	i := m.index(h)
	at := m.dir[i].at()
	if m.text {
		number, err := m.heap.PutString(textOf(k))
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrFull, err)
		}
		g := textGroupAt[V](m.base, at, group)
		g.control, g.texts[s], v = setByte(g.control, s, tagOf(h)), number, &g.values[s]
	} else {
		g := groupAt[K, V](m.base, at, group)
		g.control, g.slots[s].key, v = setByte(g.control, s, tagOf(h)), *k, &g.slots[s].value
	}
	m.left[m.first(i)] -= used
	m.length++
	return v, nil
}

// freeSlot returns the group and the slot for a new key with hash h. used is 1 if the slot was
// empty, and 0 if its entry was deleted. If the page has no usable slot, freeSlot first makes room.
func (m *core[K, V]) freeSlot(h uint64) (group uint64, slot int, used uint32, err error) {
	for {
		i := m.index(h)
		r := m.dir[i]
		mask, at := r.mask(), r.at()
		group = groupBits(h) & mask
		for step := range mask + 1 {
			group = (group + step) & mask
			control := *controlAt(m.base, at, group, m.groupBytes)
			free := freeSlots(control)
			if free == 0 {
				continue
			}
			slot = free.first()
			if byteOf(control, slot) != empty {
				return group, slot, 0, nil
			}
			if m.left[m.first(i)] > 0 {
				return group, slot, 1, nil
			}
			break
		}
		if err := m.makeRoom(h); err != nil {
			return 0, 0, 0, err
		}
	}
}

// own stores the address of the Map, so that the method use can detect copies. It also registers
// the Map as the owner of its string heap, so that the heap can move the strings.
func (m *core[K, V]) own() {
	m.self = m
	if m.text {
		m.heap.Owner = m.nameOf
	}
}

// nameOf finds the slot that refers to the string with the given bytes and number. It returns the
// address at which the slot stores the number, so that the heap can update it when it moves the
// string, or nil if the Map has no such slot.
func (m *core[K, V]) nameOf(text []byte, number uint32) *uint32 {
	h := m.hash.Bytes(text)
	r := m.dir[m.index(h)]
	mask := r.mask()
	i := groupBits(h) & mask
	for step := range mask + 1 {
		i = (i + step) & mask
		g := textGroupAt[V](m.base, r.at(), i)
		for match := withTag(g.control, tagOf(h)); match != 0; match &= match - 1 {
			if s := match.first(); g.texts[s] == number {
				return &g.texts[s]
			}
		}
		if emptySlots(g.control) != 0 {
			break
		}
	}
	return nil
}

// remove removes *k, whose hash is h, and reports whether it was present.
func (m *core[K, V]) remove(h uint64, k *K) bool {
	i := m.index(h)
	r := m.dir[i]
	mask, at := r.mask(), r.at()
	group := groupBits(h) & mask
	for step := range mask + 1 {
		group = (group + step) & mask
		control := controlAt(m.base, at, group, m.groupBytes)
		for match := withTag(*control, tagOf(h)); match != 0; match &= match - 1 {
			if s := match.first(); m.isAt(at, group, s, k) {
				if m.text {
					m.heap.Free(textGroupAt[V](m.base, at, group).texts[s])
				}
				m.clearSlot(control, s, m.first(i))
				return true
			}
		}
		if emptySlots(*control) != 0 {
			break
		}
	}
	return false
}

// isAt reports whether slot s contains the key *k. The caller has checked that the tag of the slot
// matches.
func (m *core[K, V]) isAt(at, group uint64, s int, k *K) bool {
	if m.text {
		return m.heap.Equal(textGroupAt[V](m.base, at, group).texts[s], textOf(k))
	}
	return groupAt[K, V](m.base, at, group).slots[s].key == *k
}

// clearSlot removes the entry of slot s. If the group has an empty slot, no search continues after
// this group, so slot s can become empty too. Otherwise it is marked as deleted.
func (m *core[K, V]) clearSlot(control *uint64, s int, first uint64) {
	if emptySlots(*control) != 0 {
		*control = setByte(*control, s, empty)
		m.left[first]++
	} else {
		*control = setByte(*control, s, deleted)
	}
	m.length = max(m.length-1, 0) // the length from a damaged file may be too small
	m.changes++
}
