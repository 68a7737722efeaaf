package flatimpl

import "github.com/coppice-go/coppice/internal/flatlayout"

// upgraded converts a tree to the newest version of its schema. It returns t itself if the tree
// already has this version, and otherwise a private copy. The copy can be larger than the file, but
// the same limit applies to it.
func (t *Tree) upgraded(newest *tables, limits LoadLimits) (*Tree, error) {
	if t.tables == newest {
		return t, nil
	}
	u := upgrader{old: t, layout: t.tables.layout, to: newest.layout, moved: make([]uint32, len(t.words))}
	u.words = append(make([]uint32, 0, len(t.words)), 0)
	other := headerBytes + int64(padded(len(newest.text))) + 4*int64(len(t.ends)) + int64(len(t.text)) // size of the file without words
	for i := t.First().index; i != 0; i = t.nextIndex(i) {
		u.moved[i] = uint32(len(u.words))
		u.record(i)
		if uint64(len(u.words)) > maxWords {
			return nil, beyond("the tree needs more than 2^32 words in the newest version of its schema")
		}
		if other+4*int64(len(u.words)) > limits.MaxBytes {
			return nil, beyond("more than LoadLimits.MaxBytes, %d, in the newest version of its schema", limits.MaxBytes)
		}
	}
	n := &Tree{words: u.words, ends: t.ends, text: t.text, root: u.moved[t.root], nodes: t.nodes, tables: newest,
		whole: t.whole}
	n.mapLinks(func(r uint32) uint32 { return u.moved[r] })
	if t.mapped != nil {
		n.ends, n.text = append([]uint32{}, t.ends...), append([]byte{}, t.text...)
	}
	return n, nil
}

// An upgrader copies records, field by field, from one layout to a later one. The fields of the
// earlier layout are the first fields of the later one.
type upgrader struct {
	old        *Tree
	layout, to *flatlayout.Layout
	words      []uint32
	moved      []uint32 // new positions of records, by old position
}

// record converts the record at i, and appends the result.
func (u *upgrader) record(i uint32) {
	kind := uint8(u.old.words[i])
	old, to := u.layout.Records[kind], u.to.Records[kind]
	start := len(u.words)
	u.words = append(u.words, make([]uint32, to.Words)...)
	u.words[start] = uint32(kind)
	u.block(old, to, i, start)
	end := i + uint32(old.Words)
	for k := range old.Places {
		if old.Places[k].Type.Base == flatlayout.Slice {
			end = u.slice(&old.Places[k], &to.Places[k], i, end, start)
		}
	}
	u.nestedOf(old, to, i, start)
}

// block copies the fixed part of a record or struct. The fixed part begins at the index from in the
// old words, and at the index at in the new words.
func (u *upgrader) block(old, to *flatlayout.Block, from uint32, at int) {
	for k := range old.Places {
		p, q := &old.Places[k], &to.Places[k]
		u.bits(p.Present, q.Present, from, at)
		switch {
		case p.Type.Base == flatlayout.Slice:
		case p.Small.Width > 0:
			u.bits(p.Small, q.Small, from, at)
		default:
			u.value(p.Value(), from+uint32(p.Word), at+q.Word)
		}
	}
}

func (u *upgrader) bits(p, q flatlayout.Bits, from uint32, at int) {
	if p.Width > 0 {
		v := u.old.words[from+uint32(p.Word)] >> p.Shift & (1<<p.Width - 1)
		u.words[at+q.Word] |= v << q.Shift
	}
}

// value copies a value that occupies whole words.
func (u *upgrader) value(t flatlayout.Type, from uint32, at int) {
	switch t.Base {
	case flatlayout.Ref:
		u.words[at] = u.moved[u.old.words[from]]
	case flatlayout.Inline:
		u.block(u.layout.Structs[t.Name], u.to.Structs[t.Name], from, at)
	case flatlayout.Array:
		u.items(*t.Elem, uint32(t.Len), from, at)
	default:
		u.words[at] = u.old.words[from]
		if t.Base.Bits() == 64 {
			u.words[at+1] = u.old.words[from+1]
		}
	}
}

// items copies n items.
func (u *upgrader) items(elem flatlayout.Type, n, from uint32, at int) {
	bits, step := u.layout.Item(elem)
	if step == 0 {
		copy(u.words[at:], u.old.words[from:from+uint32(words(uint64(n), uint32(bits)))])
		return
	}
	_, toStep := u.to.Item(elem)
	for range n {
		u.value(elem, from, at)
		from, at = from+uint32(step), at+toStep
	}
}

// slice appends a slice of the record at i, and returns the index at which the items of the slice
// end in the old words. The parameter end is the index at which the previous slice or the fixed
// part ends, and start is the index of the copied record.
func (u *upgrader) slice(p, q *flatlayout.Place, i, end uint32, start int) uint32 {
	l := slot{op: opList, count: uint32(p.Count.Word), shift: uint8(p.Count.Shift), esc: p.Escapes}
	n, first := u.old.list(i, &l, end)
	count := n
	if most := allBits >> q.Count.Shift; q.Escapes && n >= most {
		count = most
		u.words = append(u.words, n)
	}
	u.words[start+q.Count.Word] |= count << q.Count.Shift
	at := len(u.words)
	bits, _ := u.to.Item(*p.Type.Elem)
	u.words = append(u.words, make([]uint32, words(uint64(n), uint32(bits)))...)
	u.items(*p.Type.Elem, n, first, at)
	bits, _ = u.layout.Item(*p.Type.Elem)
	return first + uint32(words(uint64(n), uint32(bits)))
}
