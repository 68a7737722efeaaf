package flatimpl

import "sort"

// A standIns maps a replaced record to its replacement, without pointers. Records are replaced in
// the order in which they are visited.
type standIns struct {
	from ranks
	to   []uint32 // by the number of the replaced record; 0 for nil
}

// reset removes all replacements and keeps the memory.
func (s *standIns) reset() {
	s.from.reset()
	s.to = s.to[:0]
}

// set sets the replacement of a record, which must come after all records that have one; from and
// to are the indexes of the two, and words is the number of words of the tree.
func (s *standIns) set(from, to, words uint32) {
	s.from.add(from, int(words))
	s.to = append(roomy(s.to), to)
}

// has reports whether the record at i was replaced.
func (s *standIns) has(i uint32) bool { return s.from.has(i) }

// get returns the replacement of the record at r, or r itself if that record was not replaced.
func (s *standIns) get(r uint32) (to uint32, replaced bool) {
	if !s.from.has(r) {
		return r, false
	}
	return s.to[s.from.last(r)], true
}

// places stores the order that the records have in a copy, and would have in a rewrite in place if
// it copied them: records created by a function come directly after the record passed to that
// function. A setter accepts a child only if it comes before the parent in this order, so that
// there are no cycles.
type places struct {
	base    uint32 // the records from this word on are new; 0 if no pass is running
	made    []made // sorted by first
	forward bool   // a record refers to one that comes after it in the buffer
}

// A made describes new records. They begin at the index first, and were created during the visit of
// the record that begins at the index by and ends before the index end.
type made struct{ first, by, end uint32 }

// start begins a pass.
func (p *places) start(base uint32) { p.base, p.made, p.forward = base, p.made[:0], false }

// visit begins a visit: the records from the index first on are created for the record that begins
// at the index by and ends before the index end.
func (p *places) visit(first, by, end uint32) { p.made = append(roomy(p.made), made{first, by, end}) }

// visited ends the visit. words is the number of words of the tree.
func (p *places) visited(words uint32) {
	if last := len(p.made) - 1; p.made[last].first == words {
		p.made = p.made[:last]
	}
}

// maker returns the index of the record that was being visited when the record with the given word
// was created.
func (p *places) maker(word uint32) uint32 {
	last := len(p.made) - 1
	if p.made[last].first <= word {
		return p.made[last].by
	}
	return p.made[sort.Search(last, func(k int) bool { return p.made[k].first > word })-1].by
}

// accepts reports whether, in the order of a copy, the record at c comes before the record or
// inline struct n, which contains the word with index at.
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

// refer notes that the record, or the word, at index i refers to the record at c.
func (p *places) refer(i, c uint32) { p.forward = p.forward || c > i }
