package main

// A sliceObject stores its elements in slices, which grow as they are appended to.
type sliceObject struct {
	glyphs []glyph
	points []point
	dashes []uint32
}

func (o *sliceObject) fill(g *generator) {
	c := g.next()
	for i := range c.count {
		o.glyphs = append(o.glyphs, c.glyph(i))
	}
	c = g.next()
	for i := range c.count {
		o.points = append(o.points, c.point(i))
	}
	c = g.next()
	for i := range c.count {
		o.dashes = append(o.dashes, c.dash(i))
	}
}

func (o *sliceObject) walk() uint64 { return value(o.glyphs, o.points, o.dashes) }
