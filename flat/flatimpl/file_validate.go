package flatimpl

import (
	"errors"
	"math/bits"
)

// validate checks that the words, strings and root of a tree follow docs/FLAT.md. The parameter
// nodes is the number of records in the header. validate reads each word once, in order, without
// recursion.
//
// In addition to the tree, validate needs six bits of memory per word. If a tree has more than 255
// levels, it is checked again with ten bits per word, and if it has more than 65,535 levels, with
// eighteen. A schema with flat:share needs 16 more bits per word, for MaxWalk. docs/decisions/0012
// explains why.
func (t *Tree) validate(nodes uint32, limits LoadLimits) error {
	if err := t.validateStrings(); err != nil {
		return err
	}
	return t.validateRecords(nodes, limits)
}

// validateRecords is like validate for a tree whose strings were already validated.
func (t *Tree) validateRecords(nodes uint32, limits LoadLimits) error {
	if uint64(nodes) > uint64(limits.MaxNodes) {
		return beyond("%d nodes, more than LoadLimits.MaxNodes, %d", nodes, limits.MaxNodes)
	}
	if t.words[0] != 0 {
		return invalid("word 0 is %#x, want 0", t.words[0])
	}
	err := validateWith[uint8](t, nodes, limits)
	if errors.Is(err, errDeep) {
		err = validateWith[uint16](t, nodes, limits)
	}
	if errors.Is(err, errDeep) {
		err = validateWith[uint32](t, nodes, limits)
	}
	return err
}

// errDeep means that a record has more levels than an element of validator.depths can hold.
var errDeep = errors.New("flat: deep")

// validateStrings checks the string table: the end offsets must be in ascending order, and the last
// one must be the end of the text.
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

// A mark is the two bits that the validator records for each word.
type mark = uint32

const (
	noRecord mark = iota // no record starts here
	leaf                 // a record without references
	inner                // a record with references
	taken                // a record that already has its only allowed parent
)

// marksPerWord is the number of marks in a word.
const marksPerWord = 16

// A validator checks the records in order. A reference is valid only if it refers to the start of
// an earlier record, which is a word with a mark other than noRecord. depths contains the number of
// levels of each record with references; all other records have one level. It has one element for
// each pair of words. This is enough because a record with references has at least two words, so
// that two such records never start in the same pair.
type validator[S uint8 | uint16 | uint32] struct {
	words  []uint32
	tables *tables
	texts  uint32 // number of strings
	marks  []uint32
	depths []S
	nodes  uint32
	limits LoadLimits
	share  bool
	walk   uint64   // maximum number of nodes that a walk may visit; only for flat:share
	walked []uint32 // number of nodes that a walk visits, indexed like depths; nil if unlimited
}

func validateWith[S uint8 | uint16 | uint32](t *Tree, nodes uint32, limits LoadLimits) error {
	v := validator[S]{words: t.words, tables: t.tables, texts: uint32(len(t.ends)), limits: limits}
	v.marks = make([]uint32, len(t.words)/marksPerWord+1)
	v.depths = make([]S, len(t.words)/2+1)
	if v.share = v.tables.share; v.share {
		bounded := false
		if v.walk, bounded = limits.walk(nodes); bounded {
			v.walked = make([]uint32, len(t.words)/2+1)
		}
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
	if err := v.links(t); err != nil {
		return err
	}
	t.whole = !v.share && !t.fixed() && t.root != 0 && v.taken()+1 == nodes
	return v.root(t.root)
}

// taken returns the number of records that have a parent, for a schema in which a record can have
// only one parent.
func (v *validator[S]) taken() (n uint32) {
	for _, m := range v.marks {
		n += uint32(bits.OnesCount32(m & (m >> 1) & 0x55555555))
	}
	return n
}

// mark returns the mark of word r.
func (v *validator[S]) mark(r uint32) mark {
	return v.marks[r/marksPerWord] >> (r % marksPerWord * 2) & taken
}

// setMark adds bits to the mark of word r.
func (v *validator[S]) setMark(r uint32, m mark) {
	v.marks[r/marksPerWord] |= m << (r % marksPerWord * 2)
}

// record checks the record at i and returns its size. For references, it handles the common case
// itself: the first reference to a record. The method ref handles all other references, and errors.
func (v *validator[S]) record(i uint32) (uint32, error) {
	words := v.words
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
	depth, walked, end := uint32(0), uint32(1), i+s.words
	for k := range s.slots {
		var err error
		switch slot := &s.slots[k]; slot.op {
		case opRef:
			at := i + slot.off
			if r := words[at]; r < i && !v.share {
				if m := v.mark(r); m-leaf <= inner-leaf && slot.set.has(uint8(words[r])) {
					v.setMark(r, taken)
					depth = max(depth, v.depth(r, m))
					continue
				}
			}
			var below uint32
			below, err = v.ref(i, at, slot.set, &walked)
			depth = max(depth, below)
		case opText:
			if words[i+slot.off] < v.texts {
				continue
			}
			err = v.plain(i, i, slot)
		case opList:
			end, err = v.list(i, end, slot, &depth, &walked)
		case opNested, opLink: // checked later, when all lists or records are known
		default:
			err = v.plain(i, i, slot)
		}
		if err != nil {
			return 0, err
		}
	}
	if s.nested {
		var err error
		if end, err = v.nestedLists(i, i, i+s.words, end, s.slots, &depth, &walked); err != nil {
			return 0, err
		}
	}
	if int64(depth) >= int64(v.limits.MaxDepth) {
		return 0, beyond("record #%d (%s) is %d levels above its deepest leaf, more than LoadLimits.MaxDepth, %d",
			i, v.tables.kindName(kind), depth+1, v.limits.MaxDepth)
	}
	return end - i, v.done(i, depth, walked)
}

// done stores the mark and the depth of the record at i, and the number of nodes that a traversal
// from it visits.
func (v *validator[S]) done(i, depth, walked uint32) error {
	if depth == 0 {
		v.setMark(i, leaf)
		return nil
	}
	if uint64(depth) >= uint64(^S(0)) {
		return errDeep
	}
	v.setMark(i, inner)
	v.depths[i/2] = S(depth + 1)
	if v.walked != nil {
		v.walked[i/2] = walked
	}
	return nil
}

// depth returns the number of levels of the record at r, whose mark is m.
func (v *validator[S]) depth(r uint32, m mark) uint32 {
	if m == leaf {
		return 1
	}
	return uint32(v.depths[r/2])
}

// ref checks a reference of the record at i, and returns the depth of the record that the reference
// refers to.
func (v *validator[S]) ref(i, at uint32, set *Kinds, walked *uint32) (uint32, error) {
	r := v.words[at]
	if r == 0 {
		return 0, nil
	}
	if r >= i || v.mark(r) == noRecord {
		return 0, v.wrong(i, "word %d refers to %d, where no earlier record starts", at, r)
	}
	if kind := uint8(v.words[r]); !set.has(kind) {
		return 0, v.wrong(i, "word %d refers to a %s, which is not allowed there", at, v.tables.kindName(kind))
	}
	m := v.mark(r)
	switch {
	case m == taken:
		return 0, v.wrong(i, "word %d refers to record #%d, which has a parent already", at, r)
	case !v.share:
		v.setMark(r, taken)
	case v.walked != nil:
		below := uint32(1)
		if m == inner {
			below = v.walked[r/2]
		}
		if *walked += below; *walked < below || uint64(*walked) > v.walk {
			return 0, beyond("record #%d: a walk of it meets more than %d nodes, shared ones once for each path; LoadLimits.MaxWalk may allow more", i, v.walk)
		}
	}
	return v.depth(r, m), nil
}

// plain checks a slot that is not a reference. The slot is in the block that starts at the index
// from and belongs to the record at i.
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

// list checks a slice of the record at i, and returns the index at which its items end. The
// parameter end is the index at which the previous slice or the fixed part ends.
func (v *validator[S]) list(i, end uint32, l *slot, depth, walked *uint32) (uint32, error) {
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
	return v.listItems(i, end, n, l, depth, walked)
}

// listItems checks n items that start at the index end, and returns the end of the items.
func (v *validator[S]) listItems(i, end, n uint32, l *slot, depth, walked *uint32) (uint32, error) {
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

// items checks n items that occupy whole words.
func (v *validator[S]) items(i, at, n uint32, l *slot, depth, walked *uint32) error {
	for ; n > 0; n-- {
		for k := range l.slots {
			slot := &l.slots[k]
			if slot.op == opNested || slot.op == opLink {
				continue // checked later, when all items or records are known
			}
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

// packed checks n items, several of which share a word. Bools must be 0 or 1, and the unused bits
// of the last word must be 0.
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

// root checks that the record at r can be the root of the tree.
func (v *validator[S]) root(r uint32) error {
	switch {
	case r == 0:
		return nil
	case uint64(r) >= uint64(len(v.words)) || v.mark(r) == noRecord:
		return invalid("the root is %d, where no record starts", r)
	case !v.tables.root.has(uint8(v.words[r])):
		return invalid("the root is a %s, which is not allowed", v.tables.kindName(uint8(v.words[r])))
	case v.mark(r) == taken:
		return invalid("the root, record #%d, has a parent", r)
	}
	return nil
}

// wrong returns a formatted error for the invalid record at i.
func (v *validator[S]) wrong(i uint32, format string, args ...any) error {
	kind := v.tables.kindName(uint8(v.words[i]))
	return invalid("record #%d (%s): "+format, append([]any{i, kind}, args...)...)
}
