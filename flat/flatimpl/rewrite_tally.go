package flatimpl

import "slices"

// A tally counts references to records of a tree that is being rewritten, to find the records that
// become unreachable. It is for trees without flat:share, where the copy of a tree contains one
// reference to each record. The tally therefore contains a count only for records for which a
// function has changed this number. It is a hash table without pointers, whose key is the index of
// the record. A record that was replaced has one reference fewer; this is recorded in the standIns
// and not in the table. docs/decisions/0023 explains the choice.
type tally struct {
	counts []count // open addressing; the length is a power of two
	used   int
	fewer  []uint32 // records that lost a reference, in tally.add or by being replaced
	refs   []uint32 // indexes of the words of a record that are references
	todo   []uint32

	early   bool     // settle is called during the pass
	settled int      // number of items of fewer that were settled
	dead    []uint64 // a bit for each word of a dead record that settle has found
	gone    int      // number of dead records that settle has found
	revived bool     // one of these dead records was changed, or has a reference again
}

// A count describes the number of references to a record. This number minus one equals more -
// released, which may be negative.
type count struct {
	index    uint32 // 0 if the slot is free
	more     int32
	released int32 // number of references in dead records
}

// leastCounts is the initial size of the hash table.
const leastCounts = 64

// reset removes all counts and keeps the memory. The parameter early states whether settle will be
// called during the pass.
func (y *tally) reset(early bool) {
	if y.used > 0 {
		clear(y.counts)
		y.used = 0
	}
	y.fewer, y.dead = y.fewer[:0], y.dead[:0]
	y.early, y.settled, y.gone, y.revived = early, 0, 0, false
}

// add changes the number of references to the record at index i by the parameter more, which is 1
// or -1.
func (y *tally) add(i uint32, more int32) {
	if i == 0 {
		return
	}
	if 2*y.used >= len(y.counts) {
		y.grow()
	}
	c := y.find(i)
	if c.index == 0 {
		c.index = i
		y.used++
	}
	c.more += more
	if more < 0 {
		y.fewer = append(roomy(y.fewer), i)
	} else {
		y.revive(i)
	}
}

// replaced records that the record at index i was replaced, and therefore has one reference fewer.
func (y *tally) replaced(i uint32) { y.fewer = append(roomy(y.fewer), i) }

// find returns the count of the record at index i, or the free slot where it belongs.
func (y *tally) find(i uint32) *count {
	mask := uint32(len(y.counts) - 1)
	for k := i * 0x9e3779b1 >> 7 & mask; ; k = (k + 1) & mask {
		if c := &y.counts[k]; c.index == i || c.index == 0 {
			return c
		}
	}
}

// grow doubles the size of the hash table.
func (y *tally) grow() {
	old := y.counts
	y.counts = make([]count, max(leastCounts, 2*len(old)))
	for _, c := range old {
		if c.index != 0 {
			*y.find(c.index) = c
		}
	}
}

// made updates the counts for the records that a function has created, which begin at the index at.
// These records have no references from the copy, and each of them refers to its children. If the
// record at the index result is one of them, it takes over the reference to the record that was
// passed to the function.
func (y *tally) made(t *Tree, at, result uint32) {
	end := uint32(len(t.words))
	for ; at < end; at += t.size(at) {
		if at != result {
			y.add(at, -1)
		}
		plan := &t.tables.refs[uint8(t.words[at])]
		if !plan.some {
			continue
		}
		y.refs = t.refs(y.refs[:0], at, plan)
		for _, w := range y.refs {
			y.add(t.words[w], 1)
		}
	}
}

// revive must be called when the record with the given word gets another reference or a different
// child. If settle has found this record to be dead, the result of settle is no longer valid.
func (y *tally) revive(word uint32) {
	if k := int(word / 64); k < len(y.dead) && y.dead[k]>>(word%64)&1 != 0 {
		y.revived = true
	}
}

// settle finds dead records. It is called during the pass, after a function has returned, while
// these records are still in the processor's cache.
func (y *tally) settle(t *Tree, replaced *standIns) {
	if need := len(t.words)/64 + 1; need > len(y.dead) {
		old := len(y.dead)
		y.dead = slices.Grow(y.dead, cap(t.words)/64+1-old)[:need]
		clear(y.dead[old:])
	}
	m := mourner{t, y, replaced, y.dead, true}
	y.gone += m.buryAll(y.fewer[y.settled:])
	y.settled = len(y.fewer)
}

// unreferenced returns a bit set with all words of the dead records of t, and the number of these
// records. A record is dead if no record, or only dead records, refer to it. unreferenced uses the
// memory of s. ok is false if a record has several parents. unreferenced sets the references of
// dead records to nil, unless settle has found these records.
func (y *tally) unreferenced(t *Tree, s *scratch, replaced *standIns) (dead []uint64, n int, ok bool) {
	m := mourner{t: t, y: y, replaced: replaced}
	if y.early && !y.revived {
		y.settle(t, replaced)
		dead, n = y.dead, y.gone
	} else {
		for k := range y.counts {
			y.counts[k].released = 0
		}
		m.dead = zeros(&s.marks, len(t.words))
		dead, n = m.dead, m.buryAll(y.fewer)
	}
	for _, c := range y.counts {
		if c.more > 0 && m.more(c.index) > 0 {
			return nil, 0, false
		}
	}
	return dead, n, true
}

// A mourner finds dead records, by removing the references of records that are already known to be
// dead.
type mourner struct {
	t        *Tree
	y        *tally
	replaced *standIns
	dead     []uint64
	keep     bool // references in dead records are not set to nil
}

// more returns the number of references to the record at i, minus one.
func (m *mourner) more(i uint32) (more int32) {
	if m.y.used > 0 {
		c := m.y.find(i)
		more = c.more - c.released
	}
	if m.replaced.has(i) {
		more--
	}
	return more
}

// buryAll calls bury for each of the given records that has no reference. It returns the number of
// records that were marked as dead.
func (m *mourner) buryAll(records []uint32) (n int) {
	for _, i := range records {
		if m.more(i) == -1 && m.dead[i/64]>>(i%64)&1 == 0 {
			n += m.bury(i)
		}
	}
	return n
}

// bury marks the record at i as dead, and also all records to which only dead records then refer.
// It returns the number of records that it marked.
func (m *mourner) bury(i uint32) (n int) {
	t, y := m.t, m.y
	y.todo = append(y.todo[:0], i)
	for len(y.todo) > 0 {
		i := y.todo[len(y.todo)-1]
		y.todo = y.todo[:len(y.todo)-1]
		setBits(m.dead, i, t.size(i))
		n++
		plan := &t.tables.refs[uint8(t.words[i])]
		if !plan.some {
			continue
		}
		y.refs = t.refs(y.refs[:0], i, plan)
		for _, w := range y.refs {
			r := t.words[w]
			if r == 0 {
				continue
			}
			if !m.keep {
				t.words[w] = 0
			}
			if m.release(r) {
				y.todo = append(y.todo, r)
			}
		}
	}
	return n
}

// release removes one reference to the record at i, and reports whether it was the last one.
func (m *mourner) release(i uint32) bool {
	if m.y.used > 0 {
		if c := m.y.find(i); c.index != 0 {
			c.released++
			return m.more(i) == -1
		}
	}
	return !m.replaced.has(i)
}
