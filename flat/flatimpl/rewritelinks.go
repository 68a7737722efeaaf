package flatimpl

// Links lead in any direction, so that a rewrite does not know yet where the record will be that a link leads to, if that stands
// later in the old tree. Such links are nil until all records are there. What became of a record is what stands in its place. If that is nothing, or
// nothing that the link accepts, the link becomes nil.

// A waitingLink is a link in the word at of the new tree to the record at index to of the old one.
type waitingLink struct{ at, to uint32 }

// takeLinks maps the links of the record at i, which was at index was before. Those that lead to later records wait.
func (w *rewrite) takeLinks(i, was uint32) {
	t := w.to
	t.links(i, func(at uint32, kinds *Kinds) {
		switch r := t.words[at]; {
		case r == 0:
		case r > was:
			t.words[at] = pendingLink
			w.waiting = append(w.waiting, waitingLink{at, r})
		default:
			t.words[at] = w.movedLink(r, kinds)
		}
	})
}

// movedLink returns what became of the record at index r of the old tree, if links to these kinds may lead to it, and 0 otherwise.
func (w *rewrite) movedLink(r uint32, kinds *Kinds) uint32 {
	if w.live != nil && w.live[r/64]>>(r%64)&1 == 0 {
		return 0
	}
	to, _ := findMoved(w.moves, r)
	if to == 0 || uint64(to) >= uint64(len(w.to.words)) || !kinds.has(uint8(w.to.words[to])) {
		return 0
	}
	return to
}

// setWaiting maps the links that wait, once all records are there. A function may have set some of them.
func (w *rewrite) setWaiting() {
	t := w.to
	if len(w.waiting) == 0 {
		return
	}
	next := 0
	for i := t.First().index; next < len(w.waiting) && i != 0; i = t.nextIndex(i) { // they wait in the order of the buffer
		t.links(i, func(at uint32, kinds *Kinds) {
			if next == len(w.waiting) || w.waiting[next].at != at {
				return
			}
			if t.words[at] == pendingLink {
				t.words[at] = w.movedLink(w.waiting[next].to, kinds)
			}
			next++
		})
	}
}
