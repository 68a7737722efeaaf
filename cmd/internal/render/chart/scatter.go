package chart

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// Scatter is a chart with a point for each mark. Value increases from left to right and Up from
// bottom to top. The names of the marks do not overlap. A line joins the marks of each Path in
// their order.
type Scatter struct {
	Name        string // description for readers who cannot see the picture
	Across, Up  string // what the axes show
	AcrossUnit  Unit
	UpUnit      Unit
	Marks       []Mark
	Paths       []Path
	WithoutName []string // names that did not fit into the picture; set by SVG
}

// A Path is a line through several marks, which are given by their indices.
type Path struct {
	Name  string
	Marks []int
}

// These are the dimensions of a Scatter, in pixels.
const (
	scatterHeight = 470
	scatterLeft   = 66
	letter        = 12 // font size of names
	lineHeight    = 14
	starWidth     = 12
)

// axis returns a scale that maps the range of the values to the positions between from and to.
func axis(values []float64, from, to float64) scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		lo, hi = min(lo, v), max(hi, v)
	}
	s := scale{from: from, to: to, hi: hi * 1.04}
	if lo > 0 && hi > 8*lo {
		s.lo, s.hi, s.log = lo/1.15, hi*1.15, true
	}
	if s.hi <= s.lo {
		s.hi = s.lo + 1
	}
	return s
}

// A box is a rectangle, for example the space that a name occupies.
type box struct{ x1, y1, x2, y2 float64 }

func (b box) meets(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }

// SVG returns the chart as SVG. It sets WithoutName.
func (s *Scatter) SVG(form Form) string {
	var c canvas
	wide := form.width()
	top := legend(&c, s.Marks, "", wide, 6) + 18
	bottom := top + scatterHeight - 60
	xs, ys := make([]float64, 0, len(s.Marks)), make([]float64, 0, len(s.Marks))
	for _, m := range s.Marks {
		xs, ys = append(xs, m.Value), append(ys, m.Up)
	}
	x, y := axis(xs, scatterLeft, wide-24), axis(ys, bottom, top)
	across := func(t Tick) (from, to float64) {
		half := width(t.Label, 12) / 2
		return x.at(t.Value) - half, x.at(t.Value) + half
	}
	for _, t := range x.ticks(s.AcrossUnit, int(wide-90)/70, across) {
		c.line("grid", point{x.at(t.Value), top}, point{x.at(t.Value), bottom})
		c.text("tick", "middle", x.at(t.Value), bottom+16, t.Label)
	}
	up := func(t Tick) (from, to float64) { return -y.at(t.Value) - 6, -y.at(t.Value) + 6 }
	for _, t := range y.ticks(s.UpUnit, 7, up) {
		c.line("grid", point{scatterLeft, y.at(t.Value)}, point{wide - 24, y.at(t.Value)})
		c.text("tick", "end", scatterLeft-6, y.at(t.Value)+4, t.Label)
	}
	c.text("soft", "start", 2, top-8, s.Up)
	c.text("soft", "end", wide-24, bottom+34, s.Across)
	for i, p := range s.Paths {
		places := make([]string, 0, len(p.Marks))
		for _, at := range p.Marks {
			places = append(places, place(x.at(xs[at]))+" "+place(y.at(ys[at])))
		}
		c.add(`<path class="path dash%d" d="M%s"/>`, i%3, strings.Join(places, "L"))
	}
	s.points(&c, x, y, box{scatterLeft, top, wide, bottom})
	return c.wrap(s.Name, wide, bottom+44, form)
}

// points draws the marks and their names.
func (s *Scatter) points(c *canvas, x, y scale, frame box) {
	var taken []box
	var leaders []line
	for _, m := range s.Marks {
		px, py := x.at(m.Value), y.at(m.Up)
		taken = append(taken, box{px - 5, py - 5, px + 5, py + 5})
	}
	order := make([]int, len(s.Marks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rankOf(s.Marks[a])) - int(rankOf(s.Marks[b])) })
	s.WithoutName = nil
	labels := make([]string, len(s.Marks))
	for _, i := range order {
		m := s.Marks[i]
		at := box{x.at(m.Value), y.at(m.Up), 0, 0}
		size := box{x2: width(m.title(), letter) + 2, y2: lineHeight}
		if m.Kind == Ours {
			size.x2 = 1.08*size.x2 + starWidth
		}
		names := taken[len(s.Marks):]
		clean := func(b box) bool {
			l, long := leader(at.x1, at.y1, b)
			return !(long && slices.ContainsFunc(names, l.crosses)) && !slices.ContainsFunc(leaders, func(l line) bool { return l.crosses(b) })
		}
		b, ok := room(at.x1, at.y1, size, frame, taken, clean)
		if !ok { // a line through a name is better than no name
			b, ok = room(at.x1, at.y1, size, frame, taken, func(box) bool { return true })
		}
		if !ok {
			s.WithoutName = append(s.WithoutName, m.Name)
			continue
		}
		taken = append(taken, b)
		var one canvas
		if l, long := leader(at.x1, at.y1, b); long {
			leaders = append(leaders, l)
			one.line("leader", point{l.x1, l.y1}, point{l.x2, l.y2})
		}
		left := b.x1 + 1
		if m.Kind == Ours {
			one.star(left+5, b.y2-7)
			left += starWidth
		}
		one.add(`<text class="name" style="font-size:%dpx" x="%s" y="%s">%s</text>`, letter, place(left), place(b.y2-3), html.EscapeString(m.title()))
		labels[i] = one.String()
	}
	for i, m := range s.Marks {
		c.open("point", m, "")
		c.WriteString(labels[i])
		c.symbol(m.Language, x.at(m.Value), y.at(m.Up))
		c.add("</g>")
	}
}

// A line is a straight line between a point and its name.
type line struct{ x1, y1, x2, y2 float64 }

// leader returns the line from the point (x, y) to b, the box of its name. long reports whether the
// line is long enough to be drawn.
func leader(x, y float64, b box) (l line, long bool) {
	end := min(max(x, b.x1), b.x2)
	long = math.Hypot(end-x, (b.y1+b.y2)/2-y) > 14
	return line{x, y, end, min(max(y, b.y1+2), b.y2-2)}, long
}

// crosses reports whether the line passes through the box: some segment of the line lies both
// between the left and right edges and between the upper and lower edges.
func (l line) crosses(b box) bool {
	from, to := 0.0, 1.0
	for _, axis := range [][4]float64{{l.x1, l.x2, b.x1, b.x2}, {l.y1, l.y2, b.y1, b.y2}} {
		start, step, lo, hi := axis[0], axis[1]-axis[0], axis[2], axis[3]
		if step == 0 {
			if start <= lo || start >= hi {
				return false
			}
			continue
		}
		one, other := (lo-start)/step, (hi-start)/step
		from, to = max(from, min(one, other)), min(to, max(one, other))
	}
	return from < to
}

// rankOf returns the key by which marks are sorted before their names are placed. The names of
// marks with lower keys are placed first.
func rankOf(m Mark) Kind {
	switch m.Kind {
	case Ours:
		return 0
	case Baseline:
		return 1
	}
	return 2
}

// room looks for a free box of the given size near the point (x, y), for the name of that point.
// The box must satisfy good. room returns false if it finds none.
func room(x, y float64, size, frame box, taken []box, good func(box) bool) (box, bool) {
	w, h := size.x2, size.y2
	for distance := 7.0; distance <= 130; distance += 5 {
		steps := 8 + int(distance/6)
		for i := range steps {
			angle := 2 * math.Pi * float64(i) / float64(steps)
			cx, cy := x+distance*math.Cos(angle), y+distance*math.Sin(angle)
			left := cx // the name is to the right of the point
			switch {
			case math.Abs(math.Cos(angle)) < 0.3:
				left = cx - w/2
			case math.Cos(angle) < 0:
				left = cx - w
			}
			b := box{left, cy - h/2, left + w, cy + h/2}
			if b.x1 < frame.x1 || b.x2 > frame.x2 || b.y1 < frame.y1 || b.y2 > frame.y2 {
				continue
			}
			if !slices.ContainsFunc(taken, b.meets) && good(b) {
				return b, true
			}
		}
	}
	return box{}, false
}

// Caption returns a sentence that lists the marks whose names did not fit in the chart, or "" if
// all names fitted.
func (s *Scatter) Caption() string {
	if len(s.WithoutName) == 0 {
		return ""
	}
	return fmt.Sprintf("Without a name for lack of room: %s.", strings.Join(s.WithoutName, ", "))
}
