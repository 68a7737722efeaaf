package flatimpl

// A refPlan describes where the records of a kind have references and links. Most kinds have
// references only in a few words and in the items of one slice; the fields fixed and list describe
// them. All other kinds have steps. Passes over many records use plans instead of the slots of a
// shape, because iterating over slots costs a function call for each reference, and also visits
// strings.
type refPlan struct {
	fixed uint32 // bit k is set if word k of the fixed part is a reference
	words uint32 // number of words in the fixed part
	list  *slot  // the only slice, whose items are references
	some  bool   // records may have references
	far   bool   // there are references that fixed does not describe
	other bool   // fixed and list do not apply: larger items, several slices, or words past 31
	refs  []refStep

	links    uint32 // bit k is set if word k of the fixed part is a link
	farLinks bool   // there are links that the bits of links do not describe
	linkRefs []refStep
}

// A refStep describes a word of a record that is a reference, or a slice with references in its
// items. A slice without references also has a step if other steps follow, because the next slice
// begins where this slice ends.
type refStep struct {
	list *slot    // slice with items; nil if the step is for a single word
	at   uint32   // offset of the single word
	size uint32   // number of words per item
	in   []uint32 // offsets of the references within an item
}

// refPlan returns the plan of a shape.
func (s *shape) refPlan() refPlan {
	p := refPlan{words: s.words}
	lists := 0
	for i := range s.slots {
		switch l := &s.slots[i]; l.op {
		case opRef:
			p.fixed |= 1 << l.off
			p.other = p.other || l.off > 31
		case opLink:
			p.links |= 1 << l.off
			p.farLinks = p.farLinks || l.off > 31
		case opList:
			lists++
			p.farLinks = p.farLinks || l.linked
			if len(l.slots) == 1 && l.slots[0].op == opRef && l.item == 32 {
				p.list = l
				continue
			}
			p.other = p.other || l.hasRefs()
		case opNested:
			p.other = p.other || l.hasRefs()
			p.farLinks = p.farLinks || l.linked
		}
	}
	p.other = p.other || p.list != nil && lists > 1
	if p.other {
		p.fixed = 0
	}
	p.far = p.other || p.list != nil
	p.some = p.far || p.fixed != 0
	if p.some {
		p.refs = s.steps(opRef)
	}
	if p.farLinks {
		p.linkRefs = s.steps(opLink)
	}
	return p
}

// hasRefs reports whether there are references in the items of a list.
func (l *slot) hasRefs() bool {
	for k := range l.slots {
		if s := &l.slots[k]; s.op == opRef || s.op == opNested && s.hasRefs() {
			return true
		}
	}
	return false
}

// steps returns the steps to the words with the given op, in the order of fields. It returns nil if
// items contain slices, because only Tree.mentions and Tree.links can follow these.
func (s *shape) steps(op slotOp) (steps []refStep) {
	last := 0
	for k := range s.slots {
		l := &s.slots[k]
		if l.op == op {
			steps = append(steps, refStep{at: l.off})
			last = len(steps)
		}
		if l.op != opList && l.op != opNested {
			continue
		}
		if l.far {
			return nil
		}
		step := refStep{list: l, size: l.item / 32}
		for j := range l.slots {
			if l.slots[j].op == op {
				step.in = append(step.in, l.slots[j].off)
			}
		}
		steps = append(steps, step)
		if len(step.in) > 0 {
			last = len(steps)
		}
	}
	return steps[:last]
}

// refs appends the index of each word of the record at i that is a reference, in the order of
// fields and items. The plan belongs to the record's kind.
func (t *Tree) refs(to []uint32, i uint32, plan *refPlan) []uint32 {
	if plan.refs == nil {
		return t.mentionedRefs(to, i)
	}
	return t.follow(to, i, plan.words, plan.refs)
}

// mentionedRefs implements refs for records whose items contain slices, and for records without
// references.
func (t *Tree) mentionedRefs(to []uint32, i uint32) []uint32 {
	t.mentions(i, func(at uint32, op slotOp) {
		if op == opRef {
			to = t.appendWord(to, at)
		}
	})
	return to
}

// linkRefs is like refs for links.
func (t *Tree) linkRefs(to []uint32, i uint32, plan *refPlan) []uint32 {
	if plan.linkRefs == nil {
		return t.allLinks(to, i)
	}
	return t.follow(to, i, plan.words, plan.linkRefs)
}

// allLinks implements linkRefs for records whose items contain slices, and for records whose links
// are all in plan.links.
func (t *Tree) allLinks(to []uint32, i uint32) []uint32 {
	t.links(i, func(at uint32, _ *Kinds) { to = t.appendWord(to, at) })
	return to
}

// appendWord appends the index of a word. It panics if the result would have more elements than the
// tree has words. This can happen with slices in slices if a mapped file was changed.
func (t *Tree) appendWord(to []uint32, at uint32) []uint32 {
	if uint64(at) >= uint64(len(t.words)) || len(to) >= len(t.words) {
		panic(NoRecord)
	}
	return append(to, at)
}

// follow appends the index of each word of the record at i that the steps describe. The parameter
// fixed is the number of words of the record's fixed part. follow panics if the items need more
// words than the tree has, which can happen if a mapped file was changed.
func (t *Tree) follow(to []uint32, i, fixed uint32, steps []refStep) []uint32 {
	end := i + fixed
	for k := range steps {
		s := &steps[k]
		var n, first uint32
		switch l := s.list; {
		case l == nil:
			to = append(to, i+s.at)
			continue
		case l.op == opNested:
			n, first = t.nested(i, l)
		default:
			n, first = t.list(i, l, end)
			end = first + uint32(words(uint64(n), l.item))
		}
		if len(s.in) == 0 {
			continue
		}
		if uint64(first)+uint64(n)*uint64(s.size) > uint64(len(t.words)) {
			panic(NoRecord)
		}
		for ; n > 0; n-- {
			for _, at := range s.in {
				to = append(to, first+at)
			}
			first += s.size
		}
	}
	return to
}
