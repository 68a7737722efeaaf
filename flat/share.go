package flat

// Conversions of a schema that shares keep identity: a pointer that is met twice is one record, and a record with
// several parents is one pointer. So they cost as much as there are nodes, not paths.

// A FromShared is the Converter of FromTree in a schema that shares. For generated packages.
type FromShared struct {
	*Converter
	made map[any]sharedNode // by pointer
}

// A sharedNode is what became of a pointer, once what is below it has been converted.
type sharedNode struct {
	node Node
	done bool
}

// NewFromShared returns a FromShared with those limits. For generated packages.
func NewFromShared(limits LoadLimits) *FromShared {
	return &FromShared{NewConverter(limits), map[any]sharedNode{}}
}

// EnterShared is Enter for a pointer. It returns the record that the pointer has become already, or else
// tells whether the conversion may go on. For generated packages.
func (c *FromShared) EnterShared(x any, depth int) (made Node, ok bool) {
	known, met := c.made[x]
	switch {
	case known.done:
		return known.node, false
	case met && c.err == nil:
		c.err = beyond("a %T is below itself; a flat tree has no cycles", x)
		return Node{}, false
	case !c.Enter(depth):
		return Node{}, false
	}
	c.made[x] = sharedNode{}
	return Node{}, true
}

// Made notes what a pointer has become. For generated packages.
func (c *FromShared) Made(x any, n Node) { c.made[x] = sharedNode{n, true} }

// Finished returns the error of a finished tree that has more levels than the limits allow, which nobody has counted where a
// pointer was met again. For generated packages.
func (c *FromShared) Finished(t *Tree) error {
	levels, _ := t.levels()
	return c.checkLevels(levels)
}

// checkLevels is the error of a tree of that many levels.
func (c *Converter) checkLevels(levels uint32) error {
	if int64(levels) > int64(c.limits.MaxDepth) {
		return beyond("%d levels, more than LoadLimits.MaxDepth, %d", levels, c.limits.MaxDepth)
	}
	return nil
}

// A ToShared is the Converter of ToTree in a schema that shares. For generated packages.
type ToShared struct {
	*Converter
	several []uint64       // a bit for each record with several parents
	made    map[uint32]any // the pointers that those became
}

// NewToShared returns a ToShared for the tree. For generated packages.
func NewToShared(t *Tree, limits LoadLimits) *ToShared {
	c := &ToShared{Converter: NewToConverter(t, limits), made: map[uint32]any{}}
	var levels uint32
	levels, c.several = t.levels()
	c.err = c.checkLevels(levels)
	return c
}

// Made returns the pointer that a record has become already, nil if none. For generated packages.
func (c *ToShared) Made(n Node) any {
	if c.several[n.index/64]>>(n.index%64)&1 == 0 {
		return nil
	}
	return c.made[n.index]
}

// Make notes what a record has become. For generated packages.
func (c *ToShared) Make(n Node, x any) {
	if c.several[n.index/64]>>(n.index%64)&1 != 0 {
		c.made[n.index] = x
	}
}

// levels returns how many levels the tree has, and a bit for each record that several references lead to. It takes one pass, and
// four bytes and two bits a word.
func (t *Tree) levels() (levels uint32, several []uint64) {
	once := make([]uint64, len(t.words)/64+1)
	several = make([]uint64, len(once))
	depths := make([]uint32, max(1, len(t.words))) // a freed tree has none
	for n := t.First(); n.index != 0; n = n.Next() {
		i := n.index
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
	return depths[t.root], several
}
