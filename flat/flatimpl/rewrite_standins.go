package flatimpl

import (
	"slices"
	"sort"
)

// A standIns maps a replaced record to its replacement. It is a hash table by the index of the
// replaced record, without pointers. Most records that are looked up have none, which one bit
// records; the bit of a nearby record is in the first-level cache.
type standIns struct {
	slots []standIn // open addressing; a power of two of them
	used  int
	marks []uint64 // a bit for each word of the tree, 1 for a record that has a standIn; none before the first
}

// A standIn records that the record at index to, or nil if to is 0, replaces the record at from.
type standIn struct{ from, to uint32 } // from is 0 if the slot is free

// leastStandIns is the initial size of the table.
const leastStandIns = 64

// reset removes all standIns and keeps the memory.
func (s *standIns) reset() {
	if s.used > 0 {
		clear(s.slots)
		s.used = 0
	}
	s.marks = s.marks[:0]
}

// set sets the replacement of the record at from, which has none yet, in a tree of that many words.
func (s *standIns) set(from, to, words uint32) {
	if len(s.marks) == 0 {
		s.marks = slices.Grow(s.marks, int(words/64)+1)[:words/64+1]
		clear(s.marks)
	}
	s.marks[from/64] |= 1 << (from % 64)
	if 2*s.used >= len(s.slots) {
		old := s.slots
		s.slots = make([]standIn, max(leastStandIns, 2*len(old)))
		for _, o := range old {
			if o.from != 0 {
				*s.find(o.from) = o
			}
		}
	}
	*s.find(from) = standIn{from, to}
	s.used++
}

// find returns the standIn of the record at from, or the free slot where it belongs.
func (s *standIns) find(from uint32) *standIn {
	mask := uint32(len(s.slots) - 1)
	for k := from * 0x9e3779b1 >> 7 & mask; ; k = (k + 1) & mask {
		if p := &s.slots[k]; p.from == from || p.from == 0 {
			return p
		}
	}
}

// has reports whether the record at i was replaced.
func (s *standIns) has(i uint32) bool {
	k := int(i / 64)
	return k < len(s.marks) && s.marks[k]>>(i%64)&1 != 0
}

// get returns the replacement of the record at r, which is r itself if that was not replaced.
func (s *standIns) get(r uint32) (to uint32, replaced bool) {
	if !s.has(r) {
		return r, false
	}
	return s.find(r).to, true
}

// places records the order that the records of a rewrite in place would have if it copied them:
// records made by a function come directly after the record passed to it. A setter accepts as a
// child what comes before the parent in this order, so that there are no cycles.
type places struct {
	base    uint32 // the records from this word on are new; 0 if no pass is running
	made    []made // sorted by first
	forward bool   // a record refers to one that comes after it in the buffer
}

// A made records that the records from word first on were made while the record at index by was
// visited.
type made struct{ first, by uint32 }

// start begins a pass.
func (p *places) start(base uint32) { p.base, p.made, p.forward = base, p.made[:0], false }

// visit records that records from word first on are made for the record at by.
func (p *places) visit(first, by uint32) { p.made = append(p.made, made{first, by}) }

// visited ends the visit. The tree has that many words.
func (p *places) visited(words uint32) {
	if last := len(p.made) - 1; p.made[last].first == words {
		p.made = p.made[:last]
	}
}

// maker returns the record that was visited when the one with that word was made.
func (p *places) maker(word uint32) uint32 {
	last := len(p.made) - 1
	if p.made[last].first <= word {
		return p.made[last].by
	}
	return p.made[sort.Search(last, func(k int) bool { return p.made[k].first > word })-1].by
}

// accepts reports whether the record at c comes before the record or inline struct n, in which the
// word at is.
func (p *places) accepts(t *Tree, n Node, at, c uint32) bool {
	switch {
	case c >= p.base && at < p.base:
		return t.endsBefore(p.maker(c), at)
	case c < p.base && at >= p.base:
		return c <= p.maker(at)
	default:
		return t.endsBefore(c, at) && c < n.index
	}
}

// refer records that the record, or the word, at index i refers to the record at c.
func (p *places) refer(i, c uint32) { p.forward = p.forward || c > i }
