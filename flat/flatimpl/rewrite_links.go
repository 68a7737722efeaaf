package flatimpl

import "math/bits"

// Links lead in any direction. If the target of a link comes later in the old tree, its new
// position is not known yet. Such links are nil until all records were copied. A link leads to the
// replacement of its target. If there is none, or the link does not accept it, the link becomes
// nil.

// A waitingLink is a link in the word at of the new tree, of the record at index record, to the
// record at index to of the old one.
type waitingLink struct{ record, at, to uint32 }

// takeLinks maps the links of the record at i, which was at index was, and whose move is last.
// Those that lead to later records are pending.
func (w *rewrite) takeLinks(plan *refPlan, i, was uint32, last move) {
	if plan.farLinks {
		w.moves.refs = w.to.linkRefs(w.moves.refs[:0], i, plan)
		for _, at := range w.moves.refs {
			w.takeLink(i, at, was, last)
		}
		return
	}
	for rest := plan.links; rest != 0; rest &= rest - 1 {
		w.takeLink(i, i+uint32(bits.TrailingZeros32(rest)), was, last)
	}
}

// takeLink implements takeLinks for the word at.
func (w *rewrite) takeLink(i, at, was uint32, last move) {
	words := w.to.words
	switch r := words[at]; {
	case r == 0:
	case r > was:
		words[at] = pendingLink
		w.waiting = append(w.waiting, waitingLink{i, at, r})
	case r >= last.from && !w.mapped: // in this run, in which nothing was replaced
		words[at] = r + last.by
	default:
		words[at] = w.movedLink(i, at, r)
	}
}

// movedLink returns the replacement of the record at index r of the old tree, if the link in the
// word at of the record at i may lead to it, and 0 otherwise. A record that was not replaced has
// its old kind, unless the file was changed.
func (w *rewrite) movedLink(i, at, r uint32) uint32 {
	if w.live != nil && (uint64(r/64) >= uint64(len(w.live)) || w.live[r/64]>>(r%64)&1 == 0) {
		return 0
	}
	to, replaced := w.moves.find(r)
	if to == 0 || uint64(to) >= uint64(len(w.to.words)) {
		return 0
	}
	if !replaced && !w.mapped {
		return to
	}
	return w.to.acceptedLink(i, at, to, nil)
}

// acceptedLink returns the record at to, if the link in the word at of the record at i may lead to
// it, and 0 otherwise. kinds is the set that the link accepts, or nil if it still has to be looked
// up.
func (t *Tree) acceptedLink(i, at, to uint32, kinds *Kinds) uint32 {
	if kinds == nil {
		kinds = t.setOf(i, at)
	}
	if !kinds.has(uint8(t.words[to])) {
		return 0
	}
	return to
}

// turnLinks changes the links of the record at i to itself: they lead to its replacement at index
// to, or become nil. A function sees the old ones.
func (t *Tree) turnLinks(i, to uint32) {
	t.links(i, func(at uint32, kinds *Kinds) {
		switch {
		case t.words[at] != i:
		case to == 0:
			t.words[at] = 0
		default:
			t.words[at] = t.acceptedLink(i, at, to, kinds)
		}
	})
}

// setWaiting maps the pending links, after all records were copied. A function may have set some of
// them.
func (w *rewrite) setWaiting() {
	words := w.to.words
	for _, l := range w.waiting {
		if words[l.at] == pendingLink {
			words[l.at] = w.movedLink(l.record, l.at, l.to)
		}
	}
}
