package btree

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// This file writes the strings of leaves. It creates the blocks that contain them, and releases
// blocks that are no longer visible.

// size returns the number of bytes that the tail of the key occupies in a block.
func (p *packed) size(skip int) int {
	switch tail := len(p.text) - skip - wordBytes; {
	case p.long != 0:
		return longSize
	case tail > 0:
		return 1 + tail
	}
	return 0
}

// A packing is a block that was allocated for the keys of a leaf. Once it exists, storing the keys
// cannot fail.
type packing struct {
	block block
	skip  int
	start []byte // its first skip bytes are the common prefix of all keys
	open  bool
}

// A fencing holds the lower and upper bounds of a leaf's keys, and records which of the two bounds
// exist.
type fencing struct {
	low, high     []byte
	okLow, okHigh bool
}

// gatherTexts appends the string keys of a leaf to t.scratch.
func (t *tree) gatherTexts(n node, count int) {
	x := &t.scratch
	start, words := t.start(n), n.keys64(t.leafCap)
	for i := range count {
		var tail []byte
		long := uint32(0)
		if !isWhole(words[i]) {
			tail, long = t.tail(n, i)
		}
		if long != 0 {
			x.packed = append(x.packed, packed{t.text(long), long})
			continue
		}
		from := len(x.text)
		x.text = appendKey(x.text, start, words[i], tail)
		x.packed = append(x.packed, packed{x.text[from:len(x.text):len(x.text)], 0})
	}
}

// pack allocates a block for keys that lie between the bounds f. The tails of the keys leave out
// the common prefix of both bounds or, if a bound is missing, the common prefix of the keys.
func (t *tree) pack(keys []packed, f fencing) (p packing, err error) {
	p.open = !f.okLow || !f.okHigh
	switch {
	case !p.open:
		p.skip, p.start = common(f.low, f.high), f.low
	case len(keys) > 1:
		p.start = keys[0].text
		p.skip = common(p.start, keys[len(keys)-1].text)
	}
	return p, t.makeBlock(keys, &p)
}

// makeBlock allocates the block of a packing, with free space for a few more keys.
func (t *tree) makeBlock(keys []packed, p *packing) (err error) {
	p.skip = min(p.skip, mostSkip)
	need := p.skip
	for i := range keys {
		need += keys[i].size(p.skip)
	}
	if need == 0 {
		return nil
	}
	p.block, err = t.room(need + need*(t.leafCap-len(keys))/(2*t.leafCap))
	return err
}

// room allocates a block of the given size in bytes.
func (t *tree) room(bytes int) (block, error) {
	t.collect()
	ref, start, err := t.heap.Room(bytes)
	if err != nil {
		return block{}, fmt.Errorf("%w: %w", ErrFull, err)
	}
	return block{ref: ref, used: uint16(start), start: uint8(start), own: 1}, nil
}

// write stores keys in a leaf, without their values. The old block of the leaf must already have
// been retired.
func (t *tree) write(n node, keys []packed, p *packing) {
	h, b := n.header(), n.block(&t.shape)
	h.skip, h.open, h.count, *b = uint32(p.skip), uint8(b2i(p.open)), uint16(len(keys)), p.block
	words, places := n.keys64(t.leafCap), n.places(&t.shape)
	if b.ref != 0 {
		b.used += uint16(copy(t.heap.From(b.ref, int(b.start)), p.start[:p.skip]))
	}
	for i := range keys {
		words[i], places[i] = textWord(keys[i].text, h.skip), t.appendTail(b, &keys[i], p.skip)
	}
}

// appendTail appends the tail of a key to a block that has enough free space, and returns the
// offset of the tail in the block.
func (t *tree) appendTail(b *block, p *packed, skip int) (place uint16) {
	size := p.size(skip)
	if size == 0 {
		return 0
	}
	place = b.used
	to := t.heap.From(b.ref, int(place))
	if len(to) < size {
		damaged("no room in block", b.ref)
	}
	if p.long != 0 {
		to[0] = longTail
		binary.LittleEndian.PutUint32(to[1:], p.long)
	} else {
		to[0] = byte(size - 1)
		copy(to[1:], p.text[skip+wordBytes:])
	}
	b.used += uint16(size)
	return place
}

// insertText makes room in a leaf with count keys, and inserts a string. If it fails, nothing
// changes.
func (t *tree) insertText(n node, at, count int, text []byte) (err error) {
	key := packed{text: text}
	if len(text) > longest {
		if key.long, err = t.putText(text); err != nil {
			return err
		}
	}
	h := n.header()
	skip := int(h.skip)
	if h.open != 0 {
		skip = common(text, t.start(n))
	}
	skip = min(skip, len(text)) // skip exceeds the length only in a damaged file
	if skip == int(h.skip) {
		if err = t.makeSpace(n, key.size(skip)); err == nil {
			t.openGap(n, true, at, count)
			n.keys64(t.leafCap)[at] = textWord(text, h.skip)
			n.places(&t.shape)[at] = t.appendTail(n.block(&t.shape), &key, skip)
			return nil
		}
	} else {
		x := t.scratch.empty()
		t.gatherTexts(n, count)
		x.packed = slices.Insert(x.packed, at, key)
		p := packing{skip: skip, start: text, open: true}
		if err = t.makeBlock(x.packed, &p); err == nil {
			t.openGap(n, true, at, count)
			t.retireBlock(n)
			t.write(n, x.packed, &p)
			return nil
		}
	}
	if key.long != 0 {
		t.heap.Free(key.long)
	}
	return err
}

// makeSpace ensures that the block of a leaf has at least size bytes of free space, and replaces
// the block if necessary.
func (t *tree) makeSpace(n node, size int) error {
	b := n.block(&t.shape)
	if size == 0 {
		return nil
	}
	if b.ref != 0 && int(b.used)+size <= int(b.start)+len(t.text(b.ref)) {
		return nil
	}
	h := n.header()
	if b.waste > 0 {
		x := t.scratch.empty()
		t.gatherTexts(n, int(h.count))
		p := packing{skip: int(h.skip), start: slices.Clone(t.start(n)), open: h.open != 0}
		need := p.skip + size
		for i := range x.packed {
			need += x.packed[i].size(p.skip)
		}
		var err error
		if p.block, err = t.room(need + need/8); err == nil {
			t.retireBlock(n)
			t.write(n, x.packed, &p)
		}
		return err
	}
	old := *b
	used := int(old.used) - int(old.start)
	fresh, err := t.room(used + size + (used+size)/8)
	if err != nil {
		return err
	}
	if old.ref != 0 {
		copy(t.heap.From(fresh.ref, int(fresh.start))[:used], t.heap.From(old.ref, int(old.start)))
	}
	fresh.used += uint16(used)
	if fresh.start != old.start && old.ref != 0 { // places are relative to the start of the block
		by := uint16(fresh.start) - uint16(old.start)
		places := n.places(&t.shape)[:h.count]
		for i, w := range n.keys64(t.leafCap)[:h.count] {
			if !isWhole(w) {
				places[i] += by
			}
		}
	}
	t.retireBlock(n)
	*b = fresh
	return nil
}

// removeText releases the string of the key at index at in a leaf. The key's bytes stay in the
// leaf's block and are counted as waste.
func (t *tree) removeText(n node, at int) {
	if isWhole(n.keys64(t.leafCap)[at]) {
		return
	}
	tail, long := t.tail(n, at)
	size := 1 + len(tail)
	if long != 0 {
		t.retireText(long)
		size = longSize
	}
	b := n.block(&t.shape)
	b.waste += uint16(size)
}
