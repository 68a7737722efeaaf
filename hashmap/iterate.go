package hashmap

import "github.com/coppice-go/coppice/internal/each"

// walk yields the entries, one page after another, for the method where. If room is not nil, string
// keys are stored in it and are valid until the next page.
func (m *core[K, V]) walk(where string, room *[]byte, yield func(K, V) bool) {
	m.use(where)
	var entries []slot[K, V]
	for from, more := uint64(0), true; more; {
		r := m.dir[m.index(from)]
		entries = m.appendEntries(entries[:0], r, room)
		changes, resets := m.changes, m.resets
		for i := range entries {
			e := &entries[i]
			switch {
			case m.changes == changes:
			case e.key != e.key: // such as NaN: it is never found, so only Clear can have removed it
				if m.resets != resets {
					continue
				}
			default:
				now := m.find(m.hashOf(&e.key), &e.key)
				if now == nil {
					continue
				}
				e.value = *now
			}
			if !yield(e.key, e.value) {
				return
			}
			m.use(where)
		}
		// A page that was divided in the meantime was already yielded completely.
		from, more = behind(from, r.depth())
	}
}

// walkValues yields the values of all entries for the method where.
func (m *core[K, V]) walkValues(where string, yield func(V) bool) {
	if m.use(where); !m.text {
		m.walk(where, nil, func(_ K, v V) bool { return yield(v) })
		return
	}
	l := m.loops.enter()
	defer m.loops.leave(l)
	for from, more := uint64(0), true; more; {
		r := m.dir[m.index(from)]
		l.page, l.list, l.next, l.moved, l.rest = r, m.appendListed(l.list[:0], r), 0, false, nil
		if !m.pageValues(where, l, yield) {
			return
		}
		from, more = behind(from, l.page.depth())
	}
}

// pageValues yields the values of the loop's current page, and reports whether the loop continues.
func (m *core[K, V]) pageValues(where string, l *valueLoop[V], yield func(V) bool) bool {
	changes, resets := m.changes, m.resets
	for l.next < len(l.list) && !l.moved {
		e := l.list[l.next]
		l.next++
		if m.changes != changes {
			if m.resets != resets {
				return true
			}
			now := m.listedNow(l.page, e.slot)
			if now == nil {
				continue
			}
			e.value = *now
		}
		if !yield(e.value) {
			return false
		}
		m.use(where)
	}
	for i := 0; i < len(l.rest) && m.resets == resets; i++ {
		now := m.findText(m.hash.String(l.rest[i]), l.rest[i])
		if now == nil {
			continue
		}
		if !yield(*now) {
			return false
		}
		m.use(where)
	}
	return true
}

// walkTexts yields the entries of a map with string keys for the method where. Each key is a copy
// in the same room, valid until the next iteration.
func (m *core[K, V]) walkTexts(where string, yield func([]byte, V) bool) {
	m.use(where)
	l := m.loops.enter()
	defer m.loops.leave(l)
	room := make([]byte, 0, shortText)
	for from, more := uint64(0), true; more; {
		r := m.dir[m.index(from)]
		l.page, l.list, l.next, l.moved, l.rest = r, m.appendListed(l.list[:0], r), 0, false, nil
		if !m.pageTexts(where, l, &room, yield) {
			return
		}
		from, more = behind(from, l.page.depth())
	}
}

// pageTexts yields the entries of the page that a loop is at, and reports whether the loop goes on.
func (m *core[K, V]) pageTexts(where string, l *valueLoop[V], room *[]byte, yield func([]byte, V) bool) bool {
	changes, resets := m.changes, m.resets
	for l.next < len(l.list) && !l.moved {
		g, s := m.textSlot(l.page, l.list[l.next].slot)
		l.next++
		if m.changes != changes {
			if m.resets != resets {
				return true
			}
			if byteOf(g.control, s) >= empty {
				continue
			}
		}
		if !each.Lend(m.copyText(room, g.texts[s]), g.values[s], yield) {
			return false
		}
		m.use(where)
	}
	for i := 0; i < len(l.rest) && m.resets == resets; i++ {
		now := m.findText(m.hash.String(l.rest[i]), l.rest[i])
		if now == nil {
			continue
		}
		*room = append((*room)[:0], l.rest[i]...)
		if !each.Lend(*room, *now, yield) {
			return false
		}
		m.use(where)
	}
	return true
}

// shortText is the length of the strings that copyText copies with a fixed number of loads.
const shortText = 64

// copyText copies a string of the heap to a room, which has the capacity of a short one.
func (m *core[K, V]) copyText(room *[]byte, number uint32) []byte {
	text, _ := m.heap.Bytes(number)
	if wide := m.heap.From(number, 1); len(text) <= shortText && len(wide) >= shortText { // its length takes one byte
		to := (*room)[:shortText]
		*(*[shortText]byte)(to) = [shortText]byte(wide)
		return to[:len(text)]
	}
	*room = append((*room)[:0], text...)
	return *room
}

// appendListed appends the entries of a page with string keys.
func (m *core[K, V]) appendListed(to []listed[V], r ref) []listed[V] {
	for i := range r.mask() + 1 {
		g := textGroupAt[V](m.base, r.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			s := full.first()
			to = append(to, listed[V]{uint32(i)*slots + uint32(s), g.values[s]})
		}
	}
	return to
}

// textSlot returns the group of a slot of a page, and its index in the group.
func (m *core[K, V]) textSlot(r ref, slot uint32) (*textGroup[V], int) {
	return textGroupAt[V](m.base, r.at(), uint64(slot/slots)), int(slot % slots)
}

// listedNow returns the address of the value in a slot of a page, or nil if the slot no longer has
// an entry.
func (m *core[K, V]) listedNow(r ref, slot uint32) *V {
	g, s := m.textSlot(r, slot)
	if byteOf(g.control, s) >= empty {
		return nil
	}
	return &g.values[s]
}

// leavePage tells loops over values that a page is about to be replaced. Its entries are still
// present.
func (m *core[K, V]) leavePage(r ref) {
	for l := m.loops.first; l != nil; l = l.other {
		if l.page != r || l.moved {
			continue
		}
		l.moved = true
		for _, e := range l.list[l.next:] {
			if m.listedNow(r, e.slot) != nil {
				g, s := m.textSlot(r, e.slot)
				b, _ := m.heap.Bytes(g.texts[s])
				l.rest = append(l.rest, string(b))
			}
		}
	}
}

// textsPerCopy is the number of strings that share an allocation.
const textsPerCopy = 64

// appendEntries appends the entries of a page. Keys that are strings are copied, into room if it is
// not nil, which is overwritten.
func (m *core[K, V]) appendEntries(to []slot[K, V], r ref, room *[]byte) []slot[K, V] {
	for i := range r.mask() + 1 {
		if m.text {
			g := textGroupAt[V](m.base, r.at(), i)
			for full := fullSlots(g.control); full != 0; full &= full - 1 {
				to = append(to, slot[K, V]{value: g.values[full.first()]})
			}
			continue
		}
		g := groupAt[K, V](m.base, r.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			to = append(to, g.slots[full.first()])
		}
	}
	if m.text {
		m.fillTexts(to, r, room)
	}
	return to
}

// fillTexts sets the keys of the entries of a page to copies of their strings.
func (m *core[K, V]) fillTexts(entries []slot[K, V], r ref, room *[]byte) {
	if room != nil {
		*room = (*room)[:0]
	}
	var numbers [textsPerCopy]uint32
	n, filled := 0, 0
	for i := range r.mask() + 1 {
		g := textGroupAt[V](m.base, r.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			numbers[n] = g.texts[full.first()]
			if n++; n == textsPerCopy {
				m.copyTexts(entries[filled:], numbers[:n], room)
				filled, n = filled+n, 0
			}
		}
	}
	m.copyTexts(entries[filled:], numbers[:n], room)
}

// copyTexts copies strings into one allocation, or appends them to room, and sets the keys of the
// first entries to the copies.
func (m *core[K, V]) copyTexts(entries []slot[K, V], numbers []uint32, room *[]byte) {
	if room == nil {
		size := 0
		for _, number := range numbers {
			b, _ := m.heap.Bytes(number)
			size += len(b)
		}
		own := make([]byte, 0, size)
		room = &own
	}
	all := *room // if it grows, earlier keys do not move
	for i, number := range numbers {
		b, _ := m.heap.Bytes(number)
		start := len(all)
		all = append(all, b...)
		entries[i].key = keyOfText[K](stringOf(all[start:]))
	}
	*room = all
}
