package flatimpl

import "math/bits"

// Links follow the rules of a rewrite: a link that leads forward is nil until the end of the pass,
// and one that leads backward leads to the replacement. Records do not move, so links are looked up
// only after a record was replaced to which links may lead.

// takeLinks hides the links of the record at i that lead forward, and maps the others.
func (w *inPlace) takeLinks(plan *refPlan, i uint32) {
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

// takeLink implements takeLinks for the word at.
func (w *inPlace) takeLink(i, at uint32) {
	words := w.to.words
	switch r := words[at]; {
	case r == 0:
	case w.live != nil && w.live[r/64]>>(r%64)&1 == 0:
		words[at] = 0
	case r > i:
		words[at] = pendingLink
		w.waiting = append(w.waiting, waitingLink{i, at, r})
	case w.linked:
		words[at] = w.movedLink(i, at, r)
	}
}

// movedLink returns the replacement of the record at r, if the link in the word at of the record at
// i may lead to it, and 0 otherwise.
func (w *inPlace) movedLink(i, at, r uint32) uint32 {
	to, replaced := w.standIns.get(r)
	if !replaced || to == 0 {
		return to
	}
	return w.to.acceptedLink(i, at, to, nil)
}

// setWaiting sets the pending links, after all records were made. A function may have set some of
// them.
func (w *inPlace) setWaiting() {
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
