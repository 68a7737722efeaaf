package hashmap

import (
	"slices"
	"sync"

	"github.com/coppice-go/coppice/internal/texts"
)

// A loop over a map with string keys reads entries where they are, and is at a slot of a page: to
// search for the key of an entry again would cost a cache miss. An entry keeps its slot as long as
// its page is not replaced. Before that, loops copy the keys of the page that they have not reached
// yet, and find them by key from then on (docs/decisions/0053).

// A slotLoop is a loop over a map with string keys.
type slotLoop struct {
	page  ref
	next  uint64 // the slots of the page before this one were reached
	moved bool   // the page was replaced, and the entries not yet reached are in rest
	rest  []string
	other *slotLoop
}

// at moves the loop to the start of a page.
func (l *slotLoop) at(page ref) { l.page, l.next, l.moved, l.rest = page, 0, false, nil }

// slotLoops are the loops in progress. Several goroutines may start loops at the same time; a
// change of the Map has no concurrent loops.
type slotLoops struct {
	mu    sync.Mutex
	first *slotLoop
}

func (l *slotLoops) enter() *slotLoop {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.first = &slotLoop{other: l.first}
	return l.first
}

func (l *slotLoops) leave(loop *slotLoop) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := &l.first
	for *at != loop {
		at = &(*at).other
	}
	*at = loop.other
}

// leavePage tells the loops that a page is about to be replaced. Its entries are still present.
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

// walkValues yields the values of all entries for the method where.
func (m *core[K, V]) walkValues(where string, yield func(V) bool) {
	if m.use(where); !m.text {
		m.walk(where, nil, func(_ K, v V) bool { return yield(v) })
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

// pageValues yields the values of the loop's page, and reports whether the loop continues.
func (m *core[K, V]) pageValues(where string, l *slotLoop, yield func(V) bool) bool {
	changes, resets := m.changes, m.resets
	for i := range l.page.mask() + 1 {
		g := textGroupAt[V](m.base, l.page.at(), i)
		for full := fullSlots(g.control); full != 0; {
			s, behind := full.first(), full.behindFirst()
			l.next = i*slots + uint64(s) + 1
			if !yield(g.values[s]) {
				return false
			}
			if m.use(where); m.changes == changes {
				full &= behind
				continue
			}
			if m.resets != resets {
				return true
			}
			if l.moved {
				return m.restOf(where, l, resets, func(_ K, v V) bool { return yield(v) })
			}
			changes, g = m.changes, textGroupAt[V](m.base, l.page.at(), i)
			full = fullSlots(g.control) & behind
		}
	}
	return true
}

// walkTexts implements walk for string keys.
func (m *core[K, V]) walkTexts(where string, room *keyRoom, yield func(K, V) bool) {
	room = roomFor(room)
	l := m.loops.enter()
	defer m.loops.leave(l)
	for from, more := uint64(0), true; more; {
		l.at(m.dir[m.index(from)])
		if !m.pageTexts(where, l, room, yield) {
			return
		}
		from, more = behind(from, l.page.depth())
	}
}

// pageTexts yields the entries of the loop's page, and reports whether the loop continues. It
// copies the keys of a group before it yields the first of them, so that the processor waits for
// several cache misses at once. After a change it copies one key at a time.
func (m *core[K, V]) pageTexts(where string, l *slotLoop, room *keyRoom, yield func(K, V) bool) bool {
	var keys [slots]K
	changes, resets := m.changes, m.resets
	for i := range l.page.mask() + 1 {
		g := textGroupAt[V](m.base, l.page.at(), i)
		full := fullSlots(g.control)
		room.reset()
		m.copyKeys(&keys, g, full, room)
		for changed := false; full != 0; {
			s, behind := full.first(), full.behindFirst()
			if changed {
				m.copyKeys(&keys, g, full&^behind, room)
			}
			l.next = i*slots + uint64(s) + 1
			if !yield(keys[s], g.values[s]) {
				return false
			}
			if m.use(where); m.changes == changes {
				full &= behind
				continue
			}
			if m.resets != resets {
				return true
			}
			if l.moved {
				return m.restOf(where, l, resets, yield)
			}
			changed, changes, g = true, m.changes, textGroupAt[V](m.base, l.page.at(), i)
			full = fullSlots(g.control) & behind
		}
	}
	return true
}

// restOf yields the entries that the loop had not reached when its page was replaced, and reports
// whether the loop continues.
func (m *core[K, V]) restOf(where string, l *slotLoop, resets uint64, yield func(K, V) bool) bool {
	for i := 0; i < len(l.rest) && m.resets == resets; i++ {
		now := m.findText(m.hash.String(l.rest[i]), l.rest[i])
		if now == nil {
			continue
		}
		if !yield(keyOfText[K](l.rest[i]), *now) {
			return false
		}
		m.use(where)
	}
	return true
}

// A keyRoom is the memory to which loops copy string keys.
type keyRoom struct {
	bytes []byte
	kept  bool // the keys remain valid: none is overwritten
}

// roomFor returns room, or, if it is nil, one for keys that remain valid.
func roomFor(room *keyRoom) *keyRoom {
	if room == nil {
		room = &keyRoom{kept: true}
	}
	return room
}

// reset drops the keys, unless they remain valid.
func (r *keyRoom) reset() {
	if !r.kept {
		r.bytes = r.bytes[:0]
	}
}

// grow makes room for n bytes. Earlier keys do not move. Memory for keys that remain valid is
// allocated in parts of at least chunk bytes.
func (r *keyRoom) grow(n, chunk int) {
	switch {
	case cap(r.bytes)-len(r.bytes) >= n:
	case r.kept:
		r.bytes = make([]byte, 0, max(n, chunk))
	default:
		r.bytes = slices.Grow(r.bytes, n)
	}
}

const (
	shortText = 64 // strings of at most this length are copied with a fixed number of loads
	keyChunk  = 64 // short strings that share an allocation
)

// copyKeys copies the keys in some slots of a group to room. What it reads of the heap is what
// Bytes would read, without calls.
func (m *core[K, V]) copyKeys(keys *[slots]K, g *textGroup[V], which set, room *keyRoom) {
	memory := m.heap.Contents()
	size := shortText // so that a short string has room for the fixed number of bytes
	for w := which; w != 0; w &= w - 1 {
		if at := uint64(g.texts[w.first()]) * texts.Unit; at < uint64(len(memory)) {
			size += int(memory[at]) // the length of a short string; these loads do not wait for each other
		}
	}
	room.grow(size, min(m.length, keyChunk)*shortText)
	all := room.bytes
	for ; which != 0; which &= which - 1 {
		s, start := which.first(), len(all)
		at := uint64(g.texts[s]) * texts.Unit
		if at > 0 && at+shortText < uint64(len(memory)) && memory[at] <= shortText && cap(all)-start >= shortText {
			*(*[shortText]byte)(all[start : start+shortText]) = [shortText]byte(memory[at+1:])
			all = all[:start+int(memory[at])]
		} else {
			text, _ := m.heap.Bytes(g.texts[s])
			all = append(all, text...)
		}
		keys[s] = keyOfText[K](stringOf(all[start:]))
	}
	room.bytes = all
}
