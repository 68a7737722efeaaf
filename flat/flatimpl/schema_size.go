package flatimpl

// A sizing is used to compute record lengths without reading the slots of the records' kind, which
// must have at most one slice. This matters because a linear pass spends most of its time on
// lengths.
type sizing struct {
	words uint32 // number of words in the fixed part
	bits  uint32 // size of an item in bits
	count uint32 // offset of the word with the number of items
	shift uint8  // first bit of the number of items
	slow  uint32 // smallest number of items for which the slots are needed
}

// sizing returns the sizing of a shape. The result is zero if the shape has several slices, or
// structs with slices. The slots are then needed to determine the length.
func (s *shape) sizing() sizing {
	z := sizing{words: s.words}
	if s.nested {
		return sizing{}
	}
	for i := range s.slots {
		l := &s.slots[i]
		switch {
		case l.op != opList:
		case z.bits != 0:
			return sizing{}
		default:
			z.bits, z.count, z.shift, z.slow = l.item, l.count, l.shift, allBits
			if l.esc {
				z.slow = allBits >> l.shift
			}
		}
	}
	return z
}

// guess returns size. Its branches look redundant but make a pass faster: the processor predicts
// them, and continues with the next record before the load of size has completed.
func guess(size uint32) uint32 {
	switch size {
	case 1:
		return 1
	case 2:
		return 2
	case 3:
		return 3
	case 4:
		return 4
	default:
		return size
	}
}

// size returns the number of words of the record at i.
func (t *Tree) size(i uint32) uint32 {
	kind := uint8(t.words[i])
	if size := t.tables.sizes[kind]; size != 0 {
		return size
	}
	z := &t.tables.lists[kind]
	if n := t.words[i+z.count] >> z.shift; n < z.slow {
		return z.words + uint32(words(uint64(n), z.bits))
	}
	return t.sizeWithLists(i)
}

func (t *Tree) sizeWithLists(i uint32) uint32 {
	s := &t.tables.shapes[uint8(t.words[i])]
	end := i + s.words
	for k := range s.slots {
		if l := &s.slots[k]; l.op == opList {
			n, first := t.list(i, l, end)
			end = first + uint32(words(uint64(n), l.item))
		}
	}
	if s.nested {
		end = t.nestedEnd(i, i+s.words, end, s.slots)
	}
	return end - i
}

// nestedEnd returns the index at which the last slice of a struct in the block at i ends. If there
// is none, it returns the parameter end. The block itself may also have slices, the first of which
// starts at the index fixed. nestedEnd reads only the last items, because every slice of a struct
// records its position.
func (t *Tree) nestedEnd(i, fixed, end uint32, slots []slot) uint32 {
	last := end
	for k := range slots {
		switch l := &slots[k]; {
		case l.op == opNested:
			n, first := t.nested(i, l)
			last = first + uint32(words(uint64(n), l.item))
			if l.far && n > 0 {
				last = t.nestedEnd(last-l.item/32, last, last, l.slots)
			}
		case l.op == opList:
			n, first := t.list(i, l, fixed)
			fixed = first + uint32(words(uint64(n), l.item))
			if l.far && n > 0 {
				last = t.nestedEnd(fixed-l.item/32, fixed, last, l.slots)
			}
		}
	}
	return last
}

// nested returns the number of items in a struct's slice, and the index of the first item. The
// offsets in the slot are relative to word i.
func (t *Tree) nested(i uint32, l *slot) (n, first uint32) {
	at := i + l.off
	return t.words[at-1], at + t.words[at]
}

// list returns the number of items of a list, and the index of the first item. The parameter end is
// the index at which the previous list or the fixed part ends.
func (t *Tree) list(i uint32, l *slot, end uint32) (n, first uint32) {
	n = t.words[i+l.count] >> l.shift
	if l.esc && n == allBits>>l.shift {
		return t.words[end], end + 1
	}
	return n, end
}

// words returns the number of words that n items of the given number of bits occupy.
func words(n uint64, bits uint32) uint64 { return (n*uint64(bits) + 31) / 32 }
