package btree

import (
	"errors"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/texts"
)

// The values of a Texts are strings. A leaf stores the heap reference of each value, in the same
// heap that also holds the strings of keys. An entry owns its string. The string is freed when the
// entry is deleted or its value is replaced, or later if a snapshot sees it. The empty string has
// the reference 0.

// putValue stores a copy of a string under a key. If it fails, the entries do not change.
func (t *tree) putValue(p *probe, value []byte) error {
	n, at, found, err := t.place(p)
	if err != nil {
		return err
	}
	to := t.valueRef(n, at)
	if !found {
		*to = 0
	}
	if checks.Enabled {
		t.changes++ // for View
	}
	old := *to
	if old != 0 && len(value) > 0 && t.held.newest.Load() == 0 {
		if now := t.text(old); len(now) == len(value) {
			copy(now, value)
			return nil
		}
	}
	ref, err := t.putText(value)
	if err != nil {
		if !found { // tree.place has made the path changeable, so remove needs no memory
			_, undone := t.remove(p)
			err = errors.Join(err, undone)
		}
		return err
	}
	*to = ref
	t.retireText(old)
	return nil
}

// adopt completes a copy of another tree, whose leaves still contain references to values in the
// heap of the original tree. It copies these values to its own heap, and stores their new
// references in the leaves.
func (t *tree) adopt(from *texts.Heap) error {
	if t.root == 0 {
		return nil
	}
	var c cursor
	count, more := t.edge(&c, -1, false), true
	for more {
		n := t.node(c.path[t.height].node)
		for i := range count {
			to := t.valueRef(n, i)
			value, ok := from.Bytes(*to)
			if !ok {
				damaged("it has no text", *to)
			}
			ref, err := t.putText(value)
			if err != nil {
				return err
			}
			*to = ref
		}
		count, more = t.next(&c)
	}
	return nil
}
