package flatimpl

import "fmt"

// promised is the tree of placeholder nodes. A placeholder stands for the target of a link until
// FromTree has created the record of the target.
var promised = &Tree{}

// FromLinks assigns numbers to the pointers that are targets of links, while FromTree creates their
// records. Until Keep is called, the value of a link is the number of the pointer to which it
// refers.
type FromLinks struct {
	numbers map[any]uint32
	records []uint32 // record made from each pointer, by number from 1; 0 if there is none yet
	targets []any
}

// number returns the number of a pointer. It assigns the next number, from 1 on, to a new pointer.
func (c *FromLinks) number(x any) uint32 {
	if c.numbers == nil {
		c.numbers, c.records, c.targets = map[any]uint32{}, []uint32{0}, []any{nil}
	}
	n, known := c.numbers[x]
	if !known {
		n = uint32(len(c.records))
		c.numbers[x] = n
		c.records, c.targets = append(c.records, 0), append(c.targets, x)
	}
	return n
}

// Promise returns a placeholder node for the record that will be created from the pointer.
func (c *FromLinks) Promise(x any) Node { return Node{promised, c.number(x)} }

// Placed records that n was created from the pointer x. If several records are created from a
// pointer, links refer to the first one.
func (c *FromLinks) Placed(x any, n Node) {
	if k := c.number(x); c.records[k] == 0 {
		c.records[k] = n.index
	}
}

// Keep replaces the numbers of links in the Builder's tree with the indexes of their records. It
// returns an error if no record was created from the target of a link. If the Builder is full, Keep
// does nothing, because Finish then returns ErrFull.
func (c *FromLinks) Keep(b *Builder) (err error) {
	if b.err != nil {
		return nil
	}
	b.tree.mapLinks(func(number uint32) uint32 {
		to := c.records[number]
		if to == 0 && err == nil {
			err = fmt.Errorf("%w: a link leads to a %T that is not in the tree; a flat:\"ref\" leads to what another field holds", ErrInvalid, c.targets[number])
		}
		return to
	})
	return err
}

// ToLinks stores the pointers that ToTree creates from records until all links can be set.
type ToLinks struct {
	made  map[uint32]any
	later []laterLink
}

// A laterLink is a link that is set at the end of the conversion. It consists of the target and of
// the function that sets the link.
type laterLink struct {
	to  uint32
	set func(made any)
}

// Placed records that the pointer x was created from the node n. If the node is stored by value and
// has several parents, links refer to the first pointer.
func (c *ToLinks) Placed(n Node, x any) {
	if c.made == nil {
		c.made = map[uint32]any{}
	}
	if _, known := c.made[n.index]; !known {
		c.made[n.index] = x
	}
}

// Later registers the function set, which Keep calls with the pointer that was created from the
// node. If the node is not reachable from the root, it is not converted, and Keep does not call the
// function.
func (c *ToLinks) Later(n Node, set func(made any)) {
	c.later = append(c.later, laterLink{n.index, set})
}

// Keep calls all functions that were registered with Later, to set the links.
func (c *ToLinks) Keep() {
	for _, l := range c.later {
		if x := c.made[l.to]; x != nil {
			l.set(x)
		}
	}
}
