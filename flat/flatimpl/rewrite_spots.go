package flatimpl

import (
	"math/bits"
	"slices"
)

// Spots are the words of the new tree that are references, and those that are links: a bit for each
// word from index from on. A rewrite notes them after the first change, while it looks at each
// record anyway. So the sweep at its end visits bits, and not records, whose lengths and kinds it
// would have to find out again.
type spots struct {
	from        uint32 // the first word; records before it were not noted
	refs, links []uint64
	at          []uint32 // the words of a record
}

// start begins at a word.
func (s *spots) start(from uint32) { s.from, s.refs, s.links = from, s.refs[:0], s.links[:0] }

// addAll notes the records from word at on.
func (s *spots) addAll(t *Tree, at uint32) {
	for end := uint32(len(t.words)); at < end; at += t.size(at) {
		plan := &t.tables.refs[uint8(t.words[at])]
		s.addRefs(t, plan, at)
		s.addLinks(t, plan, at)
	}
}

// addRefs notes the references of the record at i, which has that plan.
func (s *spots) addRefs(t *Tree, plan *refPlan, i uint32) {
	if plan.fixed != 0 {
		s.refs = put(s.refs, i-s.from, uint64(plan.fixed))
	}
	switch {
	case plan.other:
		s.at = t.refs(s.at[:0], i, plan)
		s.refs = s.putAll(s.refs)
	case plan.far:
		n, at := t.list(i, plan.list, i+plan.words)
		for ; n > 64; n, at = n-64, at+64 {
			s.refs = put(s.refs, at-s.from, 1<<64-1)
		}
		s.refs = put(s.refs, at-s.from, 1<<n-1)
	}
}

// addLinks notes the links of the record at i, which has that plan.
func (s *spots) addLinks(t *Tree, plan *refPlan, i uint32) {
	switch {
	case plan.farLinks:
		s.at = t.linkRefs(s.at[:0], i, plan)
		s.links = s.putAll(s.links)
	case plan.links != 0:
		s.links = put(s.links, i-s.from, uint64(plan.links))
	}
}

// putAll sets the bits of the words in at.
func (s *spots) putAll(bitmap []uint64) []uint64 {
	for _, at := range s.at {
		bitmap = put(bitmap, at-s.from, 1)
	}
	return bitmap
}

// put sets the bits from at on that are set in mask.
func put(bitmap []uint64, at uint32, mask uint64) []uint64 {
	k := int(at / 64)
	if k+1 >= len(bitmap) {
		bitmap = lengthen(bitmap, k+2)
	}
	bitmap[k] |= mask << (at % 64)
	bitmap[k+1] |= mask >> (64 - at%64)
	return bitmap
}

// lengthen adds zeros up to that length.
func lengthen(bitmap []uint64, n int) []uint64 {
	old := len(bitmap)
	bitmap = slices.Grow(bitmap, n-old)[:n]
	clear(bitmap[old:])
	return bitmap
}

// A cursor goes through the words whose bits are set.
type cursor struct {
	bitmap  []uint64
	at, end uint64 // bits
	from    uint32
}

// in returns a cursor through the words from first on, up to index end.
func (s *spots) in(bitmap []uint64, first, end uint32) cursor {
	return cursor{bitmap, uint64(first - s.from), min(uint64(end-s.from), 64*uint64(len(bitmap))), s.from}
}

// next returns a word and bits: bit k stands for the word k words later. There are none at the end.
func (c *cursor) next() (word uint32, set uint64) {
	for c.at < c.end {
		word, set = uint32(c.at)+c.from, c.bitmap[c.at/64]>>(c.at%64)
		if rest := c.end - c.at; rest < 64 {
			set &= 1<<rest - 1
		}
		c.at = c.at/64*64 + 64
		if set != 0 {
			return word, set
		}
	}
	return 0, 0
}

// moveNoted moves the references and links in the records of a run from word from on, up to index
// end, all of which were noted.
func (s *sweeper) moveNoted(run move, from, end uint32) {
	words := s.t.words
	for c := s.spots.in(s.spots.refs, from, end); ; {
		at, set := c.next()
		if set == 0 {
			break
		}
		for ; set != 0; set &= set - 1 {
			at := at + uint32(bits.TrailingZeros64(set))
			if r := words[at]; r-run.from < at-run.from { // an earlier record in this run
				words[at] = r + run.by
			} else if r != 0 {
				words[at], _ = s.moves.find(r)
			}
		}
	}
	if len(s.spots.links) == 0 {
		return
	}
	for c := s.spots.in(s.spots.links, from, end); ; {
		at, set := c.next()
		if set == 0 {
			break
		}
		for ; set != 0; set &= set - 1 {
			s.link(at+uint32(bits.TrailingZeros64(set)), run, end)
		}
	}
}
