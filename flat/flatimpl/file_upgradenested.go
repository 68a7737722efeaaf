package flatimpl

import "github.com/coppice-go/coppice/internal/flatlayout"

// nestedOf appends the slices that are in structs of the record or struct at the index from. The
// copy of the record or struct is at the index at.
func (u *upgrader) nestedOf(old, to *flatlayout.Block, from uint32, at int) {
	if !to.Nested {
		return
	}
	first, toFirst := from+uint32(old.Words), at+to.Words // start of the next slice of the record itself
	for k := range to.Places {
		q, p := &to.Places[k], (*flatlayout.Place)(nil)
		if k < len(old.Places) {
			p = &old.Places[k]
		}
		switch {
		case to.Inside && q.Type.Base == flatlayout.Slice:
			u.nested(p, q, from, at)
		case q.Type.Base == flatlayout.Slice && p != nil:
			l := slot{count: uint32(p.Count.Word), shift: uint8(p.Count.Shift), esc: p.Escapes}
			n, items := u.old.list(from, &l, first)
			if most := allBits >> q.Count.Shift; q.Escapes && n >= most {
				toFirst++
			}
			u.nestedItems(*p.Type.Elem, n, items, toFirst)
			first, toFirst = items+u.roomOf(u.layout, *p.Type.Elem, n), toFirst+int(u.roomOf(u.to, *p.Type.Elem, n))
		case q.Nested:
			u.nestedIn(q.Type, p, q, from, at)
		}
	}
}

// roomOf returns the number of words that n items occupy.
func (u *upgrader) roomOf(l *flatlayout.Layout, elem flatlayout.Type, n uint32) uint32 {
	bits, _ := l.Item(elem)
	return uint32(words(uint64(n), uint32(bits)))
}

// nestedIn appends the slices in a field that is a struct or an array of structs. If the old
// version does not have the field, the slices are empty.
func (u *upgrader) nestedIn(t flatlayout.Type, p, q *flatlayout.Place, from uint32, at int) {
	if p != nil {
		u.nestedValue(t, from+uint32(p.Word), at+q.Word)
		return
	}
	u.emptyValue(t, at+q.Word)
}

// nestedValue appends the slices in a struct or an array.
func (u *upgrader) nestedValue(t flatlayout.Type, from uint32, at int) {
	if t.Base == flatlayout.Inline {
		u.nestedOf(u.layout.Structs[t.Name], u.to.Structs[t.Name], from, at)
		return
	}
	u.nestedItems(*t.Elem, uint32(t.Len), from, at)
}

// nestedItems appends the slices in n items.
func (u *upgrader) nestedItems(elem flatlayout.Type, n, from uint32, at int) {
	if !u.to.HasNested(elem) {
		return
	}
	_, step := u.layout.Item(elem)
	_, toStep := u.to.Item(elem)
	for range n {
		u.nestedValue(elem, from, at)
		from, at = from+uint32(step), at+toStep
	}
}

// nested appends a slice that is a field of a struct, and the slices in its items. The slice is
// empty if the old version does not have the field.
func (u *upgrader) nested(p, q *flatlayout.Place, from uint32, at int) {
	word := at + q.Count.Word
	u.words[word+1] = uint32(len(u.words) - word - 1)
	if p == nil {
		return
	}
	l := slot{off: uint32(p.Count.Word) + 1}
	n, first := u.old.nested(from, &l)
	u.words[word] = n
	start := len(u.words)
	u.words = append(u.words, make([]uint32, u.roomOf(u.to, *p.Type.Elem, n))...)
	u.items(*p.Type.Elem, n, first, start)
	u.nestedItems(*p.Type.Elem, n, first, start)
}

// emptyValue stores the positions of the slices in a struct or array that the old version does not
// have. These slices are empty.
func (u *upgrader) emptyValue(t flatlayout.Type, at int) {
	if t.Base == flatlayout.Array {
		if _, step := u.to.Item(*t.Elem); u.to.HasNested(*t.Elem) {
			for k := range t.Len {
				u.emptyValue(*t.Elem, at+k*step)
			}
		}
		return
	}
	b := u.to.Structs[t.Name]
	for k := range b.Places {
		switch q := &b.Places[k]; {
		case q.Type.Base == flatlayout.Slice:
			u.nested(nil, q, 0, at)
		case q.Nested:
			u.emptyValue(q.Type, at+q.Word)
		}
	}
}
