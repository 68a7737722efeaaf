package flatimpl

import "math/bits"

// During a rewrite, links must be changed so that they point to the replacements of their targets.
// Links can point in any direction. If the target of a link comes later in the tree, its
// replacement is not known yet; accessors return nil for such a link until all records have been
// visited. If the target of a link was replaced, the link points to the replacement. If the
// replacement is nil, or the link does not accept it, the link becomes nil. As long as no record
// that can be the target of a link was replaced, no replacements are looked up.

// A waitingLink is a link whose target has not been visited yet. The link is in the word with index
// at, in the record at index record, and its target is the record at index to.
type waitingLink struct{ record, at, to uint32 }

// takeLinks updates the links of the record at i. Links that point forward become pending (see
// pendingLink). All other links are changed to point to the replacements of their targets.
func (w *pass) takeLinks(plan *refPlan, i uint32) {
	if plan.farLinks {
		w.refs = w.to.linkRefs(w.refs[:0], i, plan)
		for _, at := range w.refs {
			w.takeLink(i, at)
		}
		return
	}
	for rest := plan.links; rest != 0; rest &= rest - 1 {
		w.takeLink(i, i+uint32(bits.TrailingZeros32(rest)))
	}
}

// takeLink implements takeLinks for the link in the word with index at.
func (w *pass) takeLink(i, at uint32) {
	words := w.to.words
	switch r := words[at]; {
	case r == 0:
	case w.live != nil && w.live[r/64]>>(r%64)&1 == 0:
		words[at] = 0
	case r > i:
		words[at] = pendingLink
		w.waiting = append(roomy(w.waiting), waitingLink{i, at, r})
	case w.linked:
		words[at] = w.movedLink(i, at, r)
	}
}

// movedLink returns the replacement of the record at r, if the link in the word with index at, in
// the record at i, may point to it, and 0 otherwise.
func (w *pass) movedLink(i, at, r uint32) uint32 {
	to, replaced := w.standIns.get(r)
	if !replaced || to == 0 {
		return to
	}
	return w.to.acceptedLink(i, at, to, nil)
}

// acceptedLink checks the target of the link in the word with index at, in the record at i. If the
// link accepts this record, acceptedLink returns its index, which is passed in to. Otherwise it
// returns 0. The parameter kinds is the set of kinds that the link accepts, or nil if the set still
// has to be looked up.
func (t *Tree) acceptedLink(i, at, to uint32, kinds *Kinds) uint32 {
	if kinds == nil {
		kinds = t.setOf(i, at)
	}
	if !kinds.has(uint8(t.words[to])) {
		return 0
	}
	return to
}

// turnLinks changes the links of the record at i that point to this record itself. They then point
// to its replacement, whose index is passed in to, or become nil. They could not be changed before
// f was called, because the replacement was not known.
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

// setWaiting is called after all records were visited. It sets the links that are still pending; f
// may have set some of them in the meantime.
func (w *pass) setWaiting() {
	words := w.to.words
	for _, l := range w.waiting {
		if words[l.at] != pendingLink {
			continue
		}
		words[l.at] = l.to
		if w.linked {
			words[l.at] = w.movedLink(l.record, l.at, l.to)
		}
	}
}
