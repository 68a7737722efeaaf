package hashmap

import "fmt"

// makeRoom makes room for one more entry in the page to which hash belongs, which has no usable
// slot left. If makeRoom fails, the Map does not change.
func (m *core[K, V]) makeRoom(hash uint64) error {
	t := &m.table
	i := t.index(hash)
	r := t.dir[i]
	n := uint32(t.entries(r))
	switch log := r.log(); {
	case n <= room(log)/4*3:
		return m.replace(i, log) // the slots of deleted entries become empty
	case log < t.maxLog:
		return m.replace(i, log+1)
	case r.depth() < maxDepth(t.pages):
		return m.divide(i)
	case log < skewLog:
		return m.replace(i, log+1) // division would not separate keys of nearly the same hash
	}
	return fmt.Errorf("%w: %d keys have nearly the same hash", ErrFull, n)
}

// replace replaces the page at directory entry i with a new page of 1<<log groups, to which it
// moves the entries.
func (m *core[K, V]) replace(i uint64, log uint8) error {
	t := &m.table
	r, source := t.dir[i], t.base
	m.leavePage(r)
	old, at, err := t.takeFor(log)
	if err != nil {
		return err
	}
	next := newRef(at, log, r.depth())
	if old == nil {
		source = t.base // if the region has moved, the page has moved too
	}
	moved := m.move(source, r, next, next)
	old.Release()
	first := t.first(i)
	t.point(first, t.width(r), next, room(log)-min(moved[0], room(log)))
	if old == nil {
		t.give(r)
	}
	return nil
}

// divide replaces the page at directory entry i with two pages of the same size. All hashes of the
// old page have the same upper bits, as many as its depth. The next lower bit selects one of the
// two new pages.
func (m *core[K, V]) divide(i uint64) error {
	t := &m.table
	r := t.dir[i]
	m.leavePage(r)
	zeros, err := t.take(r.log())
	if err != nil {
		return err
	}
	a := newRef(zeros, r.log(), r.depth()+1)
	ones, err := t.take(r.log())
	if err != nil {
		t.give(a)
		return err
	}
	b := newRef(ones, r.log(), r.depth()+1)
	if r.depth() == t.depth() {
		t.deepen()
		i *= 2
	} else {
		t.ahead()
	}
	moved := m.move(t.base, r, a, b)
	first, half := t.first(i), t.width(r)/2
	t.point(first, half, a, room(r.log())-min(moved[0], room(r.log())))
	t.point(first+half, half, b, room(r.log())-min(moved[1], room(r.log())))
	t.give(r)
	t.pages++
	return nil
}

// move copies the entries of the page from, whose memory starts at source, to the pages zeros and
// ones, and returns how many entries each of them received. As in divide, the bit of a hash after
// the depth of the old page selects the new page. If zeros and ones are the same page, all entries
// are counted for zeros. The new pages must be empty and have enough slots.
func (m *core[K, V]) move(source address, from, zeros, ones ref) (moved [2]uint32) {
	to, bit := [2]ref{zeros, ones}, 63-from.depth()&63
	if zeros == ones {
		bit = 0
	}
	for i := range from.mask() + 1 {
		if m.text {
			m.moveTexts(textGroupAt[V](source, from.at(), i), &to, bit, &moved)
			continue
		}
		g := groupAt[K, V](source, from.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			s := full.first()
			h := m.hashOf(&g.slots[s].key)
			side := sideOf(h, bit)
			next, at := m.emptyIn(to[side], h)
			n := groupAt[K, V](m.base, to[side].at(), next)
			n.control = setByte(n.control, at, tagOf(h))
			n.slots[at] = g.slots[s]
			moved[side]++
		}
	}
	return moved
}

// moveTexts implements move for one group of a page with string keys.
func (m *core[K, V]) moveTexts(g *textGroup[V], to *[2]ref, bit uint8, moved *[2]uint32) {
	for full := fullSlots(g.control); full != 0; full &= full - 1 {
		s := full.first()
		h := m.hashOfText(g.texts[s])
		side := sideOf(h, bit)
		next, at := m.emptyIn(to[side], h)
		n := textGroupAt[V](m.base, to[side].at(), next)
		n.control = setByte(n.control, at, tagOf(h))
		n.texts[at], n.values[at] = g.texts[s], g.values[s]
		moved[side]++
	}
}

// sideOf returns the bit of hash, at position bit, that selects one of two new pages. If bit is 0,
// there is only one new page, and sideOf returns 0.
func sideOf(hash uint64, bit uint8) uint64 { return hash >> (bit & 63) & uint64(min(bit, 1)) }

// reserve enlarges and divides pages until the Map has room for n entries in total.
func (m *core[K, V]) reserve(n int) error {
	if m.most > 0 && n > m.most {
		return fmt.Errorf("%w: %d entries, but Options.Max is %d", ErrFull, n, m.most)
	}
	if n <= m.length {
		return nil
	}
	m.changes++
	log, depth := uint8(0), uint8(0)
	for uint64(n) > m.reservedFor(log, depth) {
		if log < m.maxLog {
			log++
		} else {
			depth++
		}
	}
	if uint64(m.region.Size())>>depth < m.groupBytes<<log {
		return fmt.Errorf("%w: %d entries need more than the %d bytes of pages that were reserved", ErrFull, n, m.region.Size())
	}
	for d := range depth + 1 { // all pages of one depth before those of the next
		for hash, more := uint64(0), true; more; {
			i := m.index(hash)
			r := m.dir[i]
			var err error
			switch {
			case r.log() < log:
				err = m.replace(i, log)
			case r.depth() < d:
				err = m.divide(i)
			default:
				hash, more = behind(hash, r.depth())
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reservedFor returns the number of entries for which the Map has room if all its pages have 1<<log
// groups and the given depth. It allows for an uneven distribution of the entries over the pages.
func (m *core[K, V]) reservedFor(log, depth uint8) uint64 {
	if depth == 0 {
		return uint64(room(log))
	}
	return uint64(room(log)/8*7) << depth
}
