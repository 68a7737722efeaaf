package flatimpl

import "sort"

// A standIns maps the indexes of replaced records to the indexes of their replacements, without
// pointers. Entries are added in ascending order, because records are replaced in the order in
// which they are visited.
type standIns struct {
	from ranks
	to   []uint32 // replacements, by the number of the replaced record; 0 for nil
}

// reset removes all entries and keeps the memory.
func (s *standIns) reset() {
	s.from.reset()
	s.to = s.to[:0]
}

// set records that the record at index from was replaced by the record at index to. The record at
// from must come after all records that were replaced earlier. The parameter words is the number of
// words of the tree.
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

// A places describes the order of the records during a rewrite: records that a function has created
// come directly after the record that was passed to the function. In a rewrite that copies, this is
// also the final order. A setter accepts a child only if it comes before the parent in this order,
// so that there are no cycles.
type places struct {
	base    uint32 // index of the first word of new records; 0 if no pass is running
	made    []made // sorted by first
	forward bool   // a record refers to one that comes after it in the buffer
}

// A made describes the records that were created during one visit. The first of these records has
// the index first. The field by is the index of the visited record, which ends before the index
// end.
type made struct{ first, by, end uint32 }

// start begins a pass over a tree whose old records end at the index base.
func (p *places) start(base uint32) { p.base, p.made, p.forward = base, p.made[:0], false }

// visit begins the visit of a record, which begins at the index by and ends before the index end.
// Records that are created during the visit begin at the index first.
func (p *places) visit(first, by, end uint32) { p.made = append(roomy(p.made), made{first, by, end}) }

// visited ends the visit. The parameter words is the number of words of the tree.
func (p *places) visited(words uint32) {
	if last := len(p.made) - 1; p.made[last].first == words {
		p.made = p.made[:last]
	}
}

// maker returns the index of the record during whose visit the record with the given word was
// created.
func (p *places) maker(word uint32) uint32 {
	last := len(p.made) - 1
	if p.made[last].first <= word {
		return p.made[last].by
	}
	return p.made[sort.Search(last, func(k int) bool { return p.made[k].first > word })-1].by
}

// accepts reports whether the word with index at, in the record or inline struct n, may refer to
// the record at c. This is the case if the record at c comes before n in the order that p
// describes.
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

// refer records that a reference in the record or word at index i refers to the record at c, which
// may come later in the buffer.
func (p *places) refer(i, c uint32) { p.forward = p.forward || c > i }
