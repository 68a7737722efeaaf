package hashmap

// walk yields the entries, one page after another. String keys are copies that remain valid. The
// parameter where names the method that the user called, for panic messages.
func (m *core[K, V]) walk(where string, yield func(K, V) bool) {
	if m.use(where); m.text {
		var room keyRoom
		m.walkTexts(where, func(key []byte, v V) bool { return yield(keyOfText[K](room.add(key, m.length)), v) })
		return
	}
	var entries []slot[K, V]
	for from, more := uint64(0), true; more; {
		r := m.dir[m.index(from)]
		entries = m.appendEntries(entries[:0], r, nil)
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
		// The page may have been divided in the meantime, but all its entries have been yielded.
		from, more = behind(from, r.depth())
	}
}

// walkValues yields the values of all entries. The parameter where names the method that the user
// called.
func (m *core[K, V]) walkValues(where string, yield func(V) bool) {
	if m.use(where); !m.text {
		m.walk(where, func(_ K, v V) bool { return yield(v) })
		return
	}
	l := m.loops.enter()
	defer m.loops.leave(l)
	for from, more := uint64(0), true; more; {
		l.at(m.dir[m.index(from)])
		if !m.pageValues(where, l, yield) {
			return
		}
		from, more = behind(from, l.page.depth())
	}
}

// appendEntries appends the entries of page r to a slice and returns the extended slice. It first
// resets room, into which it copies string keys.
func (m *core[K, V]) appendEntries(to []slot[K, V], r ref, room *keyRoom) []slot[K, V] {
	if m.text {
		return m.appendTexts(to, r, room)
	}
	for i := range r.mask() + 1 {
		g := groupAt[K, V](m.base, r.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			to = append(to, g.slots[full.first()])
		}
	}
	return to
}

// appendTexts implements appendEntries for string keys.
func (m *core[K, V]) appendTexts(to []slot[K, V], r ref, room *keyRoom) []slot[K, V] {
	room.reset()
	for i := range r.mask() + 1 {
		g := textGroupAt[V](m.base, r.at(), i)
		for full := fullSlots(g.control); full != 0; full &= full - 1 {
			s := full.first()
			text, _ := m.heap.Bytes(g.texts[s])
			to = append(to, slot[K, V]{keyOfText[K](room.add(text, m.length)), g.values[s]})
		}
	}
	return to
}
