package main

// The types glyph and point are element types; a dash is a uint32.
type (
	glyph struct{ code, advance uint32 }
	point struct{ x, y uint32 }
)

// A contents describes the elements of one vector.
type contents struct{ count, base, step uint32 }

func (c contents) glyph(i uint32) glyph { return glyph{c.base + i*c.step, c.step + i} }
func (c contents) point(i uint32) point { return point{c.base + i*c.step, c.base ^ i} }
func (c contents) dash(i uint32) uint32 { return c.base + i*c.step }

// A generator draws the contents of vectors and counts their elements.
type generator struct{ state, elements uint64 }

func (g *generator) next() contents {
	g.state += 0x9e3779b97f4a7c15
	d := (g.state ^ g.state>>30) * 0xbf58476d1ce4e5b9
	d = (d ^ d>>27) * 0x94d049bb133111eb
	d ^= d >> 31
	c := contents{1 + uint32(d>>8%8), uint32(d >> 16), uint32(d >> 48)}
	if d%10 == 9 {
		c.count = 9 + uint32(d>>8%64)
	}
	g.elements += uint64(c.count)
	return c
}

// value returns the number that the traversal of an object adds to the checksum.
func value(glyphs []glyph, points []point, dashes []uint32) uint64 {
	var v uint64
	for _, g := range glyphs {
		v += uint64(g.code) * uint64(g.advance)
	}
	var right, top uint32
	for _, p := range points {
		right, top = max(right, p.x), max(top, p.y)
	}
	for _, d := range dashes {
		v += uint64(d)
	}
	return v + uint64(right) + uint64(top)
}
