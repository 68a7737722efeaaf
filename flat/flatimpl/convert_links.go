package flatimpl

import "fmt"

// promised is the tree of nodes that stand for targets of links until FromTree has created the
// targets' records.
var promised = &Tree{}

// FromLinks records the pointers that are targets of links while FromTree creates records for them.
// Until Keep is called, the value of a link is the number of its pointer.
type FromLinks struct {
	numbers map[any]uint32
	records []uint32 // by number, from 1: the record made from the pointer; 0 if there is none yet
	targets []any
}

// number returns the number of a pointer, from 1 on. It assigns the next number to a new pointer.
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

// Promise returns a node that stands for the future record of the pointer.
func (c *FromLinks) Promise(x any) Node { return Node{promised, c.number(x)} }

// Placed notes which record was created from the pointer. If several were created, the first one is
// used.
func (c *FromLinks) Placed(x any, n Node) {
	if k := c.number(x); c.records[k] == 0 {
		c.records[k] = n.index
	}
}

// Keep replaces the numbers of links in the Builder's tree with the indexes of their records. It
// returns an error if no record was created from the target of a link. If the Builder is full, Keep
// does nothing: Finish returns that error.
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

// A laterLink is a link to a record, with the function that sets the link.
type laterLink struct {
	to  uint32
	set func(made any)
}

// Placed records the pointer that was created from a node. If the node is stored by value and has
// several parents, the first pointer is kept.
func (c *ToLinks) Placed(n Node, x any) {
	if c.made == nil {
		c.made = map[uint32]any{}
	}
	if _, known := c.made[n.index]; !known {
		c.made[n.index] = x
	}
}

// Later registers the function set, which Keep calls with the pointer that was created from the
// node. If there is no such pointer, Keep does not call it: nodes that are not reachable from the
// root are not converted.
func (c *ToLinks) Later(n Node, set func(made any)) {
	c.later = append(c.later, laterLink{n.index, set})
}

// Keep sets all links.
func (c *ToLinks) Keep() {
	for _, l := range c.later {
		if x := c.made[l.to]; x != nil {
			l.set(x)
		}
	}
}
