package btree

// openGap makes room for an entry at the given index of a node with count entries.
func (v *view) openGap(n node, leaf bool, at, count int) {
	if at < count {
		for _, a := range v.arrays(leaf) {
			if a.size > 0 {
				b := n.bytes(a.start+uintptr(at)*a.size, uintptr(count+1-at)*a.size)
				copy(b[a.size:], b)
			}
		}
		if v.ranked && !leaf {
			counts := n.counts(&v.shape)[at+1 : count+2]
			copy(counts[1:], counts)
		}
	}
	n.header().count = uint16(count + 1)
}

// closeGap removes the entry at the given index of a node with count entries.
func (v *view) closeGap(n node, leaf bool, at, count int) {
	for _, a := range v.arrays(leaf) {
		if a.size > 0 {
			b := n.bytes(a.start+uintptr(at)*a.size, uintptr(count-at)*a.size)
			copy(b, b[a.size:])
		}
	}
	if v.ranked && !leaf {
		counts := n.counts(&v.shape)[at+1 : count+1]
		copy(counts, counts[1:])
	}
	n.header().count = uint16(count - 1)
	v.fill(n, leaf, count-1, count)
}

// fill marks words first to end-1 of a node as unused by setting them to the largest value.
func (v *view) fill(n node, leaf bool, first, end int) {
	switch v.mode {
	case words64, stringed:
		words := n.keys64(v.capOf(leaf))[first:end]
		for i := range words {
			words[i] = greatest
		}
	case words32:
		words := n.keys32(v.capOf(leaf))[first:end]
		for i := range words {
			words[i] = greatest >> 32
		}
	}
}

// setText sets key i of an inner node to the string with the heap reference ref.
func (v *view) setText(n node, i int, ref uint32) {
	n.keys64(v.innerCap)[i] = textWord(v.text(ref), n.header().skip)
	n.refs(&v.shape)[i] = ref
}

// A scratch holds the entries of two adjacent nodes while they are redistributed. The entries of
// leaves are keys and values. The entries of inner nodes are keys, including the key that separates
// the two nodes, and children. There is one more child than there are keys.
type scratch struct {
	keys, rest []byte
	refs       []uint32 // heap references of the keys of inner nodes
	counts     []uint32 // entry counts below the children of inner nodes, if the map is ranked
	packed     []packed // string keys of leaves; the bytes of most of them are in the field text
	text       []byte
	count      int
}

// A packed is a string key that is to be stored in the block of a leaf.
type packed struct {
	text []byte
	long uint32 // heap reference of the string if it is stored separately, otherwise 0
}

// empty removes all entries from x, so that x can be reused for other nodes, and returns x.
func (x *scratch) empty() *scratch {
	*x = scratch{keys: x.keys[:0], rest: x.rest[:0], refs: x.refs[:0], counts: x.counts[:0], packed: x.packed[:0], text: x.text[:0]}
	return x
}

// gather appends the first count entries of a node to the scratch.
func (x *scratch) gather(s *shape, n node, leaf bool, count int) {
	x.keys = append(x.keys, n.bytes(headerBytes, uintptr(count)*s.keyBytes)...)
	if s.refBytes > 0 && !leaf {
		x.refs = append(x.refs, n.refs(s)[:count]...)
	}
	if s.ranked && !leaf {
		x.counts = append(x.counts, n.counts(s)[:count+1]...)
	}
	start, size := s.rest(leaf, count)
	x.rest = append(x.rest, n.bytes(start, size)...)
	x.count += count
}

// between appends key i of an inner node to the scratch. This key separates the two nodes whose
// entries the scratch holds.
func (x *scratch) between(s *shape, n node, i int) {
	x.keys = append(x.keys, n.bytes(headerBytes+uintptr(i)*s.keyBytes, s.keyBytes)...)
	if s.refBytes > 0 {
		x.refs = append(x.refs, n.refs(s)[i])
	}
	x.count++
}

// scatter copies entries first to end-1 of the scratch to a node.
func (x *scratch) scatter(s *shape, n node, leaf bool, first, end int) {
	copy(n.bytes(headerBytes, uintptr(end-first)*s.keyBytes), x.keys[uintptr(first)*s.keyBytes:])
	if s.refBytes > 0 && !leaf {
		copy(n.refs(s), x.refs[first:end])
	}
	if s.ranked && !leaf {
		copy(n.counts(s), x.counts[first:end+1])
	}
	x.scatterRest(s, n, leaf, first, end)
	n.header().count = uint16(end - first)
}

// scatterRest implements scatter for the values of a leaf, or for the children of an inner node.
func (x *scratch) scatterRest(s *shape, n node, leaf bool, first, end int) {
	start, size := s.rest(leaf, end-first)
	each := uintptr(4)
	if leaf {
		each = s.valueBytes
	}
	copy(n.bytes(start, size), x.rest[uintptr(first)*each:])
}

// rest returns the offset and the size, in bytes, of the values in a leaf with count keys, or of
// the children in an inner node.
func (s *shape) rest(leaf bool, count int) (start, size uintptr) {
	if leaf {
		return s.leafValues, uintptr(count) * s.valueBytes
	}
	return s.innerChildren, uintptr(count+1) * 4
}
