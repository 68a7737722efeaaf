package flatimpl

import "slices"

// compactName is the function name in the panic messages of Compact's helpers.
const compactName = "flat.Tree.Compact"

// Compact implements flat.Tree.Compact.
func (t *Tree) Compact() *Tree {
	t.checkFreed(compactName)
	t.checkClosed(compactName)
	return t.compact(&compacter{strings: make([]uint32, len(t.ends))})
}

// inOrder is like Compact, but strings keep their indexes in the string table. The two trees share
// the strings' memory, as clones do.
func (t *Tree) inOrder() *Tree {
	c := t.compact(&compacter{})
	c.ends, c.text = slices.Clip(t.ends), slices.Clip(t.text)
	return c
}

func (t *Tree) compact(c *compacter) *Tree {
	c.from, c.moved = t, make([]uint32, len(t.words))
	c.to = &Tree{tables: t.tables, words: append(make([]uint32, 0, len(t.words)), 0), ends: []uint32{0}}
	c.walk()
	c.to.mapLinks(func(r uint32) uint32 { return c.moved[r] })
	c.to.root, c.to.whole = c.moved[t.root], true
	return c.to
}

type compacter struct {
	from, to *Tree
	moved    []uint32 // new positions of records; 0 if not copied yet
	strings  []uint32 // new numbers of strings; 0 if not copied yet; nil if they do not change
	known    interned
	empty    uint32 // the number of the empty string for optional strings that are present
}

// walk copies all records that are reachable from the root, children first.
func (c *compacter) walk() {
	c.from.postorder(func(i uint32) bool { return c.moved[i] != 0 }, c.copy)
}

// postorder calls f with the index of each record that is reachable from the root, children first.
// The function met must report whether f was already called for a record. Each record is pushed
// onto the stack twice. When its first entry is popped, it is pushed again, with a mark, below its
// children, so that it is visited after them.
func (t *Tree) postorder(met func(i uint32) bool, f func(i uint32)) {
	type step struct {
		index uint32
		after bool
	}
	todo := []step{{t.root, false}}
	for len(todo) > 0 {
		last := len(todo) - 1
		s := todo[last]
		todo = todo[:last]
		switch {
		case s.index == 0 || met(s.index):
		case s.after:
			f(s.index)
		default:
			todo = append(todo, step{s.index, true})
			t.mentions(s.index, func(at uint32, op slotOp) {
				if op == opRef {
					todo = append(todo, step{t.words[at], false})
				}
			})
			slices.Reverse(todo[last+1:])
		}
	}
}

// copy appends a copy of the record at i to the new tree.
func (c *compacter) copy(i uint32) {
	at := uint32(len(c.to.words))
	c.moved[i] = at
	c.to.nodes++
	c.to.words = append(c.to.words, c.from.words[i:i+c.from.size(i)]...)
	c.from.mentions(i, func(from uint32, op slotOp) {
		w := &c.to.words[at+from-i]
		if op == opRef {
			*w = c.moved[*w]
		} else if c.strings != nil {
			*w = c.moveString(*w, op == opOptionalText)
		}
	})
}

// moveString returns the index that string i has in the new tree, and adds the string if necessary.
func (c *compacter) moveString(i uint32, optional bool) uint32 {
	if i == 0 {
		return 0
	}
	text := c.from.string(i)
	if text == "" {
		return c.emptyString(optional)
	}
	if c.strings[i] == 0 {
		slot, hash := c.known.find(c.to, text)
		if slot.id == 0 {
			*slot = internSlot{c.to.appendText(compactName, text), hash}
			c.known.used++
		}
		c.strings[i] = slot.id
	}
	return c.strings[i]
}

// emptyString returns the index of the empty string in the new tree. It is 0, unless the string is
// optional and present.
func (c *compacter) emptyString(optional bool) uint32 {
	if optional && c.empty == 0 {
		c.empty = c.to.appendText(compactName, "")
	}
	if optional {
		return c.empty
	}
	return 0
}
