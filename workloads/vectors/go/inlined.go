package main

import "github.com/coppice-go/coppice/inline"

// An inlineObject stores up to eight elements of each vector itself.
type inlineObject struct {
	glyphs inline.Vec[glyph, [8]glyph]
	points inline.Vec[point, [8]point]
	dashes inline.Vec[uint32, [8]uint32]
}

func (o *inlineObject) fill(g *generator) {
	c := g.next()
	for i := range c.count {
		o.glyphs.Append(c.glyph(i))
	}
	c = g.next()
	for i := range c.count {
		o.points.Append(c.point(i))
	}
	c = g.next()
	for i := range c.count {
		o.dashes.Append(c.dash(i))
	}
}

func (o *inlineObject) walk() uint64 {
	return value(o.glyphs.Slice(), o.points.Slice(), o.dashes.Slice())
}
