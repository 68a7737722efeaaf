package hashmap

import "github.com/coppice-go/coppice/internal/each"

// leavePage makes the loops in page r copy the keys that they have not reached yet. It must be
// called before the page is replaced, while its entries are still present.
func (m *core[K, V]) leavePage(r ref) {
	for l := m.loops.first; l != nil; l = l.other {
		if l.page != r || l.moved {
			continue
		}
		l.moved = true
		for ; l.next < (r.mask()+1)*slots; l.next++ {
			g, s := textGroupAt[V](m.base, r.at(), l.next/slots), int(l.next%slots)
			if byteOf(g.control, s) < empty {
				b, _ := m.heap.Bytes(g.texts[s])
				l.rest = append(l.rest, string(b))
			}
		}
	}
}

// pageValues yields the values of the page in which loop l is, and reports whether the loop
// continues.
func (m *core[K, V]) pageValues(where string, l *slotLoop, yield func(V) bool) bool {
	changes, resets := m.changes, m.resets
	for i := range l.page.mask() + 1 {
		g := textGroupAt[V](m.base, l.page.at(), i)
		for full := fullSlots(g.control); full != 0; {
			s, after := full.first(), full.afterFirst()
			l.next = i*slots + uint64(s) + 1
			if !yield(g.values[s]) {
				return false
			}
			if m.use(where); m.changes == changes {
				full &= after
				continue
			}
			if m.resets != resets {
				return true
			}
			if l.moved {
				return m.restOf(where, l, resets, func(_ []byte, v V) bool { return yield(v) })
			}
			changes, g = m.changes, textGroupAt[V](m.base, l.page.at(), i)
			full = fullSlots(g.control) & after
		}
	}
	return true
}

// walkTexts yields the entries of a map with string keys. A key is valid until the next iteration.
// The parameter where names the method that the user called.
func (m *core[K, V]) walkTexts(where string, yield func([]byte, V) bool) {
	m.use(where)
	l, keys := m.loops.enter(), &groupKeys{}
	defer m.loops.leave(l)
	for from, more := uint64(0), true; more; {
		l.at(m.dir[m.index(from)])
		if !m.pageTexts(where, l, keys, yield) {
			return
		}
		from, more = behind(from, l.page.depth())
	}
}

// pageTexts yields the entries of the page in which loop l is, and reports whether the loop
// continues.
func (m *core[K, V]) pageTexts(where string, l *slotLoop, keys *groupKeys, yield func([]byte, V) bool) bool {
	changes, resets := m.changes, m.resets
	for i := range l.page.mask() + 1 {
		g := textGroupAt[V](m.base, l.page.at(), i)
		full := fullSlots(g.control)
		keys.copy(m.heap, &g.texts, full)
		for full != 0 {
			s, after := full.first(), full.afterFirst()
			l.next = i*slots + uint64(s) + 1
			if !each.Lend(keys.of(m.heap, &g.texts, s), g.values[s], yield) {
				return false
			}
			if m.use(where); m.changes == changes {
				full &= after
				continue
			}
			if m.resets != resets {
				return true
			}
			if l.moved {
				return m.restOf(where, l, resets, yield)
			}
			changes, g = m.changes, textGroupAt[V](m.base, l.page.at(), i)
			full = fullSlots(g.control) & after
			keys.forget()
		}
	}
	return true
}

// restOf yields the entries that loop l had not reached when its page was replaced, and reports
// whether the loop continues.
func (m *core[K, V]) restOf(where string, l *slotLoop, resets uint64, yield func([]byte, V) bool) bool {
	for i := 0; i < len(l.rest) && m.resets == resets; i++ {
		now := m.findText(m.hash.String(l.rest[i]), l.rest[i])
		if now == nil {
			continue
		}
		if !each.Lend([]byte(l.rest[i]), *now, yield) {
			return false
		}
		m.use(where)
	}
	return true
}
