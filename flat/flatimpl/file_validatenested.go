package flatimpl

// nestedLists checks the slices that are in structs of a block. The block starts at the index from,
// belongs to the record at i, and has the given slots. The first slice of the block itself starts
// at the index first. The slices of structs must start at the index end, and follow each other in
// the order of fields and items. nestedLists returns the index at which the last of them ends. Its
// recursion depth is the nesting depth of structs in the schema.
func (v *validator[S]) nestedLists(i, from, first, end uint32, slots []slot, depth, walked *uint32) (uint32, error) {
	for k := range slots {
		l := &slots[k]
		var err error
		switch l.op {
		case opList:
			n := v.words[from+l.count] >> l.shift
			if l.esc && n == allBits>>l.shift {
				n, first = v.words[first], first+1
			}
			end, err = v.nestedItems(i, first, n, end, l, depth, walked)
			first += uint32(words(uint64(n), l.item))
		case opNested:
			end, err = v.nested(i, from+l.off, end, l, depth, walked)
		}
		if err != nil {
			return 0, err
		}
	}
	return end, nil
}

// nested checks a slice of a struct, and the slices in its items. The word with index at contains
// the distance to the first item, which must start at the index end.
func (v *validator[S]) nested(i, at, end uint32, l *slot, depth, walked *uint32) (uint32, error) {
	if way := v.words[at]; way != end-at {
		return 0, v.wrong(i, "word %d says that a list is %d words on, and it is %d", at, way, end-at)
	}
	n := v.words[at-1]
	after, err := v.listItems(i, end, n, l, depth, walked)
	if err != nil {
		return 0, err
	}
	return v.nestedItems(i, end, n, after, l, depth, walked)
}

// nestedItems checks the slices in n items of a list. The first item is at the index from.
func (v *validator[S]) nestedItems(i, from, n, end uint32, l *slot, depth, walked *uint32) (after uint32, err error) {
	if !l.far {
		return end, nil
	}
	for ; n > 0; n-- {
		if end, err = v.nestedLists(i, from, from, end, l.slots, depth, walked); err != nil {
			return 0, err
		}
		from += l.item / 32
	}
	return end, nil
}
