package flat

import "math"

// validate proves that the words, strings and root of a tree are what docs/FLAT.md says. nodes is how many
// records the header promised. It looks at every word once, in order, and recurses nowhere; beside the tree it
// needs two bytes a word (four if more than 32,766 levels are allowed, four more if the schema shares).
func (t *Tree) validate(nodes uint32, limits LoadLimits) error {
	if err := t.validateStrings(); err != nil {
		return err
	}
	if uint64(nodes) > uint64(limits.MaxNodes) {
		return beyond("%d nodes, more than LoadLimits.MaxNodes, %d", nodes, limits.MaxNodes)
	}
	if t.words[0] != 0 {
		return invalid("word 0 is %#x, want 0", t.words[0])
	}
	if limits.MaxDepth < math.MaxInt16 {
		return validateWith[uint16](t, nodes, limits)
	}
	return validateWith[uint32](t, nodes, limits)
}

// validateStrings proves that the table of strings cuts the text into pieces.
func (t *Tree) validateStrings() error {
	last := uint32(0)
	if t.ends[0] != 0 {
		return invalid("string 0 ends at %d, want 0", t.ends[0])
	}
	for i, end := range t.ends {
		if end < last {
			return invalid("string %d ends at %d, before string %d does, at %d", i, end, i-1, last)
		}
		last = end
	}
	if uint64(last) != uint64(len(t.text)) {
		return invalid("the last string ends at %d, and the text at %d", last, len(t.text))
	}
	return nil
}

// A validator goes through the records. state has an element for each word: 0 if no record starts there, otherwise the
// depth of the record, and in the top bit whether it has a parent. A reference to a word
// that is not the start of an earlier record therefore meets a 0.
type validator[S uint16 | uint32] struct {
	words  []uint32
	tables *tables
	texts  uint32 // strings
	state  []S
	nodes  uint32
	limits LoadLimits
	walked []uint32 // in a schema that shares: how many nodes a walk from here meets
}

func validateWith[S uint16 | uint32](t *Tree, nodes uint32, limits LoadLimits) error {
	v := validator[S]{words: t.words, tables: t.tables, texts: uint32(len(t.ends)), limits: limits}
	v.state = make([]S, len(t.words))
	if v.tables.share {
		v.walked = make([]uint32, len(t.words))
	}
	for i := uint32(1); uint64(i) < uint64(len(v.words)); {
		size, err := v.record(i)
		if err != nil {
			return err
		}
		i += size
		v.nodes++
	}
	if v.nodes != nodes {
		return invalid("%d records, and the header says %d", v.nodes, nodes)
	}
	return v.root(t.root)
}

// parentBit is the top bit of a state.
func parentBit[S uint16 | uint32]() S { return ^(^S(0) >> 1) }

// record checks the record at i and returns its size. References to records that nobody has referred to yet, the
// usual case, are checked here; ref checks all others and says what is wrong.
func (v *validator[S]) record(i uint32) (uint32, error) {
	words, state := v.words, v.state
	header := words[i]
	kind := uint8(header)
	if kind == 0 || int(kind) >= len(v.tables.shapes) {
		return 0, invalid("record #%d: there is no kind %d", i, kind)
	}
	s := &v.tables.shapes[kind]
	if left := uint64(len(words)) - uint64(i); uint64(s.words) > left {
		return 0, v.wrong(i, "it needs %d words, and %d are left", s.words, left)
	}
	if header&s.unused != 0 {
		return 0, v.wrong(i, "its header is %#x; the bits %#x must be 0", header, header&s.unused)
	}
	depth, walked, end := S(0), uint32(1), i+s.words
	for k := range s.slots {
		var err error
		switch slot := &s.slots[k]; slot.op {
		case opRef:
			at := i + slot.off
			if r := words[at]; r < i && v.walked == nil {
				if below := state[r]; below-1 < parentBit[S]()-1 && slot.set.has(uint8(words[r])) {
					state[r] = below | parentBit[S]()
					depth = max(depth, below)
					continue
				}
			}
			var below S
			below, err = v.ref(i, at, slot.set, &walked)
			depth = max(depth, below)
		case opText:
			if words[i+slot.off] < v.texts {
				continue
			}
			err = v.plain(i, i, slot)
		case opList:
			end, err = v.list(i, end, slot, &depth, &walked)
		default:
			err = v.plain(i, i, slot)
		}
		if err != nil {
			return 0, err
		}
	}
	if int64(depth) >= int64(v.limits.MaxDepth) {
		return 0, beyond("record #%d (%s) is %d levels above its deepest leaf, more than LoadLimits.MaxDepth, %d",
			i, v.tables.kindName(kind), depth+1, v.limits.MaxDepth)
	}
	state[i] = depth + 1
	if v.walked != nil {
		v.walked[i] = walked
	}
	return end - i, nil
}

// ref checks the reference in a word of the record at i, and returns the depth of what it refers to.
func (v *validator[S]) ref(i, at uint32, set *Kinds, walked *uint32) (S, error) {
	r := v.words[at]
	if r == 0 {
		return 0, nil
	}
	if r >= i || v.state[r] == 0 {
		return 0, v.wrong(i, "word %d refers to %d, where no earlier record starts", at, r)
	}
	if kind := uint8(v.words[r]); !set.has(kind) {
		return 0, v.wrong(i, "word %d refers to a %s, which is not allowed there", at, v.tables.kindName(kind))
	}
	state := v.state[r]
	if v.walked == nil {
		if state&parentBit[S]() != 0 {
			return 0, v.wrong(i, "word %d refers to record #%d, which has a parent already", at, r)
		}
	} else if *walked += v.walked[r]; *walked < v.walked[r] || int64(*walked) > int64(v.limits.MaxNodes) {
		return 0, beyond("record #%d: a walk of it meets more nodes than LoadLimits.MaxNodes, %d", i, v.limits.MaxNodes)
	}
	v.state[r] = state | parentBit[S]()
	return state &^ parentBit[S](), nil
}

// plain checks a slot, which is no reference, of a block that starts at word from and belongs to the record at i.
func (v *validator[S]) plain(i, from uint32, s *slot) error {
	at := from + s.off
	w := v.words[at]
	switch s.op {
	case opText, opOptionalText:
		if w >= v.texts {
			return v.wrong(i, "word %d mentions string %d of %d", at, w, v.texts)
		}
	case opMask:
		if w&^s.mask != 0 {
			return v.wrong(i, "word %d is %#x; the bits %#x must be 0", at, w, w&^s.mask)
		}
	case opOptional:
		present := v.words[from+s.count]>>s.shift&1 != 0
		if !present && (w&s.mask != 0 || s.wide && v.words[at+1] != 0) {
			return v.wrong(i, "word %d has the value of a field that is absent", at)
		}
	}
	return nil
}

// list checks a slice of the record at i whose items start at word end, and returns where they end.
func (v *validator[S]) list(i, end uint32, l *slot, depth *S, walked *uint32) (uint32, error) {
	n := v.words[i+l.count] >> l.shift
	if l.esc && n == allBits>>l.shift {
		if uint64(end) >= uint64(len(v.words)) {
			return 0, v.wrong(i, "its count is beyond the end")
		}
		n, end = v.words[end], end+1
		if n < allBits>>l.shift {
			return 0, v.wrong(i, "the count %d would fit in the header", n)
		}
	}
	size := words(uint64(n), l.item)
	if left := uint64(len(v.words)) - uint64(end); size > left {
		return 0, v.wrong(i, "%d items need %d words, and %d are left", n, size, left)
	}
	if l.item < 32 {
		return end + uint32(size), v.packed(i, end, n, l)
	}
	if len(l.slots) > 0 {
		if err := v.items(i, end, n, l, depth, walked); err != nil {
			return 0, err
		}
	}
	return end + uint32(size), nil
}

// items checks n items in whole words.
func (v *validator[S]) items(i, at, n uint32, l *slot, depth *S, walked *uint32) error {
	for ; n > 0; n-- {
		for k := range l.slots {
			slot := &l.slots[k]
			if slot.op != opRef {
				if err := v.plain(i, at, slot); err != nil {
					return err
				}
				continue
			}
			below, err := v.ref(i, at+slot.off, slot.set, walked)
			if err != nil {
				return err
			}
			*depth = max(*depth, below)
		}
		at += l.item / 32
	}
	return nil
}

// packed checks n items that share words: bools are 0 or 1, and the last word is filled with 0.
func (v *validator[S]) packed(i, at, n uint32, l *slot) error {
	size := uint32(words(uint64(n), l.item))
	for k := range size {
		mask := l.ones
		if used := n*l.item - 32*k; k == size-1 && used < 32 {
			mask &= 1<<used - 1
		}
		if w := v.words[at+k]; w&^mask != 0 {
			return v.wrong(i, "word %d is %#x; the bits %#x must be 0", at+k, w, w&^mask)
		}
	}
	return nil
}

// root checks the root.
func (v *validator[S]) root(r uint32) error {
	switch {
	case r == 0:
		return nil
	case uint64(r) >= uint64(len(v.state)) || v.state[r] == 0:
		return invalid("the root is %d, where no record starts", r)
	case !v.tables.root.has(uint8(v.words[r])):
		return invalid("the root is a %s, which is not allowed", v.tables.kindName(uint8(v.words[r])))
	case v.walked == nil && v.state[r]&parentBit[S]() != 0:
		return invalid("the root, record #%d, has a parent", r)
	}
	return nil
}

// wrong is an error about the record at i.
func (v *validator[S]) wrong(i uint32, format string, args ...any) error {
	kind := v.tables.kindName(uint8(v.words[i]))
	return invalid("record #%d (%s): "+format, append([]any{i, kind}, args...)...)
}
