package flatimpl

// Conversions of a schema with flat:share preserve identity: a pointer that occurs several times
// becomes a single record, and a record with several parents becomes a single pointer. The cost of
// a conversion therefore depends on the number of nodes, not on the number of paths to them; see
// docs/decisions/0012.

// A FromShared is the Converter of FromTree for a schema with flat:share.
type FromShared struct {
	*Converter
	made map[any]sharedNode // created records, by pointer
}

// A sharedNode is the record that was created from a pointer. The field done is set once the
// descendants have been converted.
type sharedNode struct {
	node Node
	done bool
}

// NewFromShared returns a FromShared with the given limits.
func NewFromShared(limits LoadLimits) *FromShared {
	return &FromShared{NewConverter(limits), map[any]sharedNode{}}
}

// EnterShared is like Enter for a pointer. If the pointer was already converted, it returns the
// pointer's record and false.
func (c *FromShared) EnterShared(x any, depth int) (made Node, ok bool) {
	known, met := c.made[x]
	switch {
	case known.done:
		return known.node, false
	case met && c.err == nil:
		c.err = beyond("a %T is its own ancestor; a flat tree has no cycles", x)
		return Node{}, false
	case !c.Enter(depth):
		return Node{}, false
	}
	c.made[x] = sharedNode{}
	return Node{}, true
}

// Made records that the pointer x was converted to the record n.
func (c *FromShared) Made(x any, n Node) { c.made[x] = sharedNode{n, true} }

// Finished returns an error if the finished tree has more levels than the limits allow. It is
// needed because Enter does not count the levels below a pointer that was already converted.
func (c *FromShared) Finished(t *Tree) error {
	levels, _ := t.levels()
	return c.checkLevels(levels)
}

// checkLevels returns an error if a tree must not have the given number of levels.
func (c *Converter) checkLevels(levels uint32) error {
	if int64(levels) > int64(c.limits.MaxDepth) {
		return beyond("%d levels, more than LoadLimits.MaxDepth, %d", levels, c.limits.MaxDepth)
	}
	return nil
}

// A ToShared is the Converter of ToTree for a schema with flat:share.
type ToShared struct {
	*Converter
	several []uint64       // a bit for each record with several parents
	made    map[uint32]any // pointers created from these records, by index
}

// NewToShared returns a ToShared for the tree.
func NewToShared(t *Tree, limits LoadLimits) *ToShared {
	c := &ToShared{Converter: NewToConverter(t, limits), made: map[uint32]any{}}
	var levels uint32
	levels, c.several = t.levels()
	c.err = c.checkLevels(levels)
	return c
}

// Made returns the pointer that was created from the record n, or nil if there is none.
func (c *ToShared) Made(n Node) any {
	if c.several[n.index/64]>>(n.index%64)&1 == 0 {
		return nil
	}
	return c.made[n.index]
}

// Make records that the pointer x was created from the record n. It stores the pointer only if the
// record has several parents.
func (c *ToShared) Make(n Node, x any) {
	if c.several[n.index/64]>>(n.index%64)&1 != 0 {
		c.made[n.index] = x
	}
}

// levels returns the number of levels of the tree, and a bit set of the records with several
// parents. It makes one pass over the tree, and allocates four bytes and two bits per word.
func (t *Tree) levels() (levels uint32, several []uint64) {
	once := make([]uint64, len(t.words)/64+1)
	several = make([]uint64, len(once))
	depths := make([]uint32, len(t.words))
	look := func(i uint32) {
		depth := uint32(0)
		t.mentions(i, func(at uint32, op slotOp) {
			r := t.words[at]
			if op != opRef || r == 0 {
				return
			}
			bit := uint64(1) << (r % 64)
			several[r/64] |= once[r/64] & bit
			once[r/64] |= bit
			depth = max(depth, depths[r])
		})
		depths[i] = depth + 1
	}
	if t.edit != nil {
		t.postorder(func(i uint32) bool { return depths[i] != 0 }, look)
		return depths[t.root], several
	}
	for n := t.First(); n.index != 0; n = n.Next() {
		look(n.index)
	}
	return depths[t.root], several
}
