package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Rows is a chart with one row for each mark, grouped into panels. It shows values as bars from
// zero or, if they are too far apart for bars, as points on a logarithmic axis. A mark with Runs
// has a ring for each run instead.
type Rows struct {
	Name      string // description for readers who cannot see the picture
	Axis      string // what the axis shows
	Unit      Unit
	Log       bool    // use a logarithmic axis even if bars would fit, unless a value is zero
	Reference float64 // value at which a dashed line is drawn; 0 for none
	Star      string  // what the sign of Ours means; "" is ours
	Panels    []Panel
}

// A Panel is a group of marks under a common heading.
type Panel struct {
	Heading string // "" for none
	Marks   []Mark
}

// A sheet is the layout of a Rows chart.
type sheet struct {
	scale
	width, names, values float64           // widths of the picture, the names on the left and the values on the right
	height               float64           // height of a row
	phone                bool              // names are above their bars
	cut                  map[string]string // full names, by the shortened names in the picture
}

// Logarithmic reports whether the axis is logarithmic. A logarithmic axis has no zero.
func (r Rows) Logarithmic() bool {
	lo, hi := r.ends()
	return r.Log && lo >= tiny || logarithmic(lo, hi)
}

// ends returns the smallest and the largest value that the chart shows.
func (r Rows) ends() (lo, hi float64) {
	lo, hi = r.Reference, r.Reference
	first := r.Reference == 0
	take := func(v float64) {
		if !finite(v) {
			return
		}
		if first {
			lo, hi, first = v, v, false
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	for _, p := range r.Panels {
		for _, m := range p.Marks {
			if len(m.Runs) == 0 {
				take(m.Value)
			}
			for _, v := range m.Runs {
				take(v)
			}
		}
	}
	return lo, hi
}

func (r Rows) layout(form Form) sheet {
	lo, hi := r.ends()
	s := sheet{width: form.width(), phone: form == Phone, height: 22, cut: map[string]string{}}
	count := 0
	for _, p := range r.Panels {
		count += len(p.Marks)
		for _, m := range p.Marks {
			s.names = max(s.names, width(m.title(), m.size())+16)
			s.values = max(s.values, width(m.Text, 13)+8)
		}
	}
	s.log = r.Logarithmic()
	s.lo, s.hi = 0, hi
	for _, p := range r.Panels {
		for _, m := range p.Marks {
			if m.bounded() && len(m.Runs) == 0 {
				s.hi = max(s.hi, min(m.Hi, 1.6*hi))
				if m.Lo > 0 {
					lo = min(lo, max(m.Lo, lo/1.6))
				}
			}
		}
	}
	if s.log {
		s.lo, s.hi = lo/1.08, s.hi*1.08
	}
	if s.hi <= s.lo {
		s.hi = s.lo + 1
	}
	s.names = min(s.names, 0.45*s.width)
	s.from, s.to = s.names+12, s.width-s.values-16
	switch {
	case s.phone:
		s.height, s.from, s.to = 36, 8, s.width-12
	case count > 30:
		s.height = 20
	}
	return s
}

// fitted returns the title of m, shortened if it is wider than room. It cuts out the middle of the
// title. If another title would then look the same, it cuts off the end or the start instead.
func (s *sheet) fitted(m Mark, room float64) string {
	title := m.title()
	for _, cut := range []func(string, float64, float64) string{fitMiddle, fit, fitEnd} {
		text := cut(title, m.size(), room)
		if other, ok := s.cut[text]; !ok || other == title {
			s.cut[text] = title
			return text
		}
	}
	return fitMiddle(title, m.size(), room)
}

// title returns the rank, if any, and the name of the mark.
func (m Mark) title() string {
	if m.Rank == "" {
		return m.Name
	}
	return m.Rank + " " + m.Name
}

// size returns the font size for estimating the width of the title. It is larger for bold titles,
// because bold letters are wider.
func (m Mark) size() float64 {
	if m.Kind == Ours {
		return 14.2
	}
	return 13.2
}

// SVG returns the chart as SVG.
func (r Rows) SVG(form Form) string {
	var c, body canvas
	s := r.layout(form)
	top := 6.0
	top = r.legend(&c, s, top)
	for _, line := range folded(r.Axis, 12, s.width-s.from) {
		c.text("soft", "start", s.from, top+12, fit(line, 12, s.width-s.from))
		top += 15
	}
	top += 19
	y := top + 4
	for _, p := range r.Panels {
		if p.Heading != "" {
			body.add(`<g class="head" data-h="26" transform="translate(0 %s)">`, place(y))
			body.text("head", "start", 2, 18, fit(p.Heading, 14, s.width-4))
			body.add("</g>")
			y += 26
		}
		for _, m := range p.Marks {
			body.open("row", m, fmt.Sprintf(` data-h="%s" transform="translate(0 %s)"`, place(s.height), place(y)))
			r.row(&body, &s, m)
			body.add("</g>")
			y += s.height
		}
	}
	y += 6
	label := func(t Tick) float64 { // returns the center of the label
		half := width(t.Label, 12) / 2
		return min(max(s.at(t.Value), half), s.width-half)
	}
	room := func(t Tick) (from, to float64) {
		half := width(t.Label, 12) / 2
		return label(t) - half, label(t) + half
	}
	for _, t := range s.ticks(r.Unit, int((s.to-s.from)/62), room) {
		x := s.at(t.Value)
		c.line("grid", point{x, top}, point{x, y})
		c.text("tick", "middle", label(t), top-5, t.Label)
	}
	if r.Reference != 0 && !s.phone {
		c.line("reference", point{s.at(r.Reference), top}, point{s.at(r.Reference), y})
	}
	c.add(`<g class="rows" data-top="%s">`, place(top+4))
	c.WriteString(body.String())
	c.add("</g>")
	return c.wrap(r.Name, s.width, y, form)
}

// folded splits text into two lines at its last comma if it is wider than most.
func folded(text string, size, most float64) []string {
	if i := strings.LastIndex(text, ", "); i >= 0 && width(text, size) > most {
		return []string{text[:i+1], text[i+2:]}
	}
	return []string{text}
}

// row draws the row of m, with its upper left corner at the origin.
func (r Rows) row(c *canvas, s *sheet, m Mark) {
	middle, text := s.height/2, s.height/2+4.5
	right := s.width - 4
	if s.phone {
		middle, text = 25, 13
	}
	c.add(`<rect class="paper" fill-opacity="0" width="%s" height="%s"/>`, place(s.width), place(s.height)) // receives pointer events
	left := 2.0
	if m.Kind == Ours {
		c.star(7, text-4.5)
	}
	left += 14
	room := s.names - 14
	if s.phone {
		room = s.width - left - width(m.Text, 13) - 8
	}
	if r.Reference != 0 && s.phone {
		c.line("reference", point{s.at(r.Reference), text + 4}, point{s.at(r.Reference), s.height}) // starts below the text
	}
	c.text("name", "start", left, text, s.fitted(m, room))
	c.text("value", "end", right, text, m.Text)
	for j, v := range m.Runs {
		lift := float64(j%5-2) * 1.6 // so that equal values do not hide each other
		c.add(`<circle class="run" cx="%s" cy="%s" r="2.6"/>`, place(s.at(v)), place(middle+lift))
	}
	if len(m.Runs) > 0 || !finite(m.Value) {
		return
	}
	x := s.at(m.Value)
	if !s.log {
		c.add(`<rect class="bar" x="%s" y="%s" width="%s" height="9"/>`, place(s.from), place(middle-4.5), place(max(x-s.from, 0)))
	} else {
		from := s.from
		if r.Reference != 0 {
			from = s.at(r.Reference)
		}
		c.line("stem", point{from, middle}, point{x, middle})
	}
	if m.bounded() {
		lo, hi := s.at(m.Lo), s.at(m.Hi)
		c.line("interval", point{lo, middle}, point{hi, middle})
		c.line("interval", point{lo, middle - 3}, point{lo, middle + 3})
		c.line("interval", point{hi, middle - 3}, point{hi, middle + 3})
	}
	language := m.Language
	if m.Kind == Several {
		language = "C" // drawn as a square
	}
	c.symbol(language, x, middle)
}

// legend draws the legend, which explains the star and the shapes. It returns the vertical position
// of its lower edge.
func (r Rows) legend(c *canvas, s sheet, top float64) float64 {
	var all []Mark
	for _, p := range r.Panels {
		all = append(all, p.Marks...)
	}
	return legend(c, all, r.Star, s.width, top)
}

func legend(c *canvas, marks []Mark, star string, most, top float64) float64 {
	type item struct{ language, text string }
	var items []item
	if slices.ContainsFunc(marks, func(m Mark) bool { return m.Kind == Ours }) {
		items = append(items, item{"", cmp.Or(star, "ours")})
	}
	var known []string
	for _, m := range marks {
		if m.Language != "" && !slices.Contains(known, m.Language) {
			known = append(known, m.Language)
		}
	}
	slices.Sort(known)
	for _, l := range known {
		if len(known) > 1 {
			items = append(items, item{l, l})
		}
	}
	if len(items) == 0 {
		return top
	}
	x, y := 8.0, top+10
	for _, i := range items {
		wide := 14 + width(i.text, 12) + 12
		if x > 8 && x+wide > most {
			x, y = 8, y+18
		}
		c.add(`<g class="key %s">`, looks(i.language).class)
		if i.language == "" {
			c.star(x, y)
		} else {
			c.symbol(i.language, x, y)
		}
		c.text("soft", "start", x+9, y+4, i.text)
		c.add("</g>")
		x += wide
	}
	return y + 12
}
