package chart

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"
)

// A canvas collects the elements of a picture.
type canvas struct{ strings.Builder }

// add writes an element as it is.
func (c *canvas) add(format string, args ...any) { fmt.Fprintf(c, format+"\n", args...) }

// place writes a coordinate.
func place(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// A point is a position in a picture.
type point struct{ x, y float64 }

func (c *canvas) line(class string, from, to point) {
	c.add(`<line class="%s" x1="%s" y1="%s" x2="%s" y2="%s"/>`, class, place(from.x), place(from.y), place(to.x), place(to.y))
}

// text writes a text whose anchor is start, middle or end.
func (c *canvas) text(class, anchor string, x, y float64, text string) {
	c.add(`<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, place(x), place(y), html.EscapeString(text))
}

// symbol writes the shape of a language.
func (c *canvas) symbol(language string, x, y float64) {
	c.add(`<path class="symbol" transform="translate(%s %s)" d="%s"/>`, place(x), place(y), looks(language).path)
}

// star draws the mark of our contenders next to a name.
func (c *canvas) star(x, y float64) {
	c.add(`<path class="star" transform="translate(%s %s)" d="M0-5 1.5-1.6 5-1.5 2.2.7 3.2 4.2 0 2.1-3.2 4.2-2.2.7-5-1.5-1.5-1.6Z"/>`, place(x), place(y))
}

// open starts the group of a mark.
func (c *canvas) open(class string, m Mark, attributes string) {
	if m.Kind == Ours {
		class += " ours"
	}
	if m.Kind == Baseline {
		class += " baseline"
	}
	class += " " + looks(m.Language).class
	data := ""
	for _, d := range append([][2]string{{"name", m.Name}}, m.Data...) {
		data += fmt.Sprintf(` data-%s="%s"`, d[0], html.EscapeString(d[1]))
	}
	c.add(`<g class="%s"%s%s>`, class, data, attributes)
	if m.Tip != "" {
		c.add("<title>%s</title>", html.EscapeString(m.Tip))
	}
}

// wrap returns the picture: an svg element around the collected elements.
func (c *canvas) wrap(name string, width, height float64, form Form) string {
	head := fmt.Sprintf(`<svg class="chart" role="img" aria-label="%s" viewBox="0 0 %s %s"`, html.EscapeString(name), place(width), place(height))
	if form != Alone {
		return head + ">\n" + c.String() + "</svg>"
	}
	return fmt.Sprintf("%s xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\">\n<style>\n%s</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		head, place(width), place(height), Style, c.String())
}

// A Form states where a picture is shown.
type Form int

const (
	Page  Form = iota // inline in a page that has Style
	Phone             // the same, 340 pixels wide
	Alone             // a file of its own
)

// width returns the width of a picture in pixels.
func (f Form) width() float64 {
	if f == Phone {
		return 340
	}
	return 760
}

// A look is the class and shape for a language.
type look struct{ class, path string }

var others = look{"lang-other", "M0-4.2A4.2 4.2 0 1 1 0 4.2 4.2 4.2 0 1 1 0-4.2Z"}

var languages = map[string]look{
	"Go":         {"lang-go", others.path},
	"C":          {"lang-c", "M-3.8-3.8H3.8V3.8H-3.8Z"},
	"C++":        {"lang-cpp", "M0-5.4 5.4 0 0 5.4-5.4 0Z"},
	"Rust":       {"lang-rust", "M0-5 5 4H-5Z"},
	"Java":       {"lang-java", "M0 5 5-4H-5Z"},
	"Haskell":    {"lang-haskell", "M-1.6-5H1.6V-1.6H5V1.6H1.6V5H-1.6V1.6H-5V-1.6H-1.6Z"},
	"OCaml":      {"lang-ocaml", "M-5 0-2.5-4.4H2.5L5 0 2.5 4.4H-2.5Z"},
	"JavaScript": {"lang-js", "M-4.6-2.4-2.4-4.6 0-2.2 2.4-4.6 4.6-2.4 2.2 0 4.6 2.4 2.4 4.6 0 2.2-2.4 4.6-4.6 2.4-2.2 0Z"},
}

// looks returns the look of a language: a pentagon for all unknown ones, and a circle for "".
func looks(language string) look {
	if l, ok := languages[language]; ok {
		return l
	}
	if language != "" {
		return look{others.class, "M0-5 4.8-1.5 2.9 4H-2.9L-4.8-1.5Z"}
	}
	return others
}

// width estimates the width of a text in pixels, in the widest of the usual fonts, because the font
// of the browser is not known.
func width(text string, size float64) float64 {
	em := 0.0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		switch r := g.Runes()[0]; {
		case g.Width() == 0:
		case g.Width() > 1: // of East Asia, and emoji
			em++
		case strings.ContainsRune("iljtfI.,:;|!'()[] /-", r):
			em += 0.36
		case strings.ContainsRune("mwMW@%+=−×±…", r):
			em += 0.9
		case r >= 'A' && r <= 'Z':
			em += 0.72
		default:
			em += 0.6
		}
	}
	return em * size
}

// fit cuts the end of a text that is too wide, and marks the cut.
func fit(text string, size, most float64) string {
	if width(text, size) <= most {
		return text
	}
	end := 0 // of what fits, at least one letter
	for g := uniseg.NewGraphemes(text); g.Next(); {
		next := end + len(g.Str())
		if end > 0 && width(text[:next]+"…", size) > most {
			break
		}
		end = next
	}
	return strings.TrimSpace(text[:end]) + "…"
}

// fitEnd cuts the start of a text that is too wide.
func fitEnd(text string, size, most float64) string {
	if width(text, size) <= most {
		return text
	}
	return "…" + strings.TrimSpace(ending(text, size, most-width("…", size)))
}

// fitMiddle cuts the middle of a text that is too wide, because names of one family often differ at
// the end.
func fitMiddle(text string, size, most float64) string {
	if width(text, size) <= most {
		return text
	}
	end := ending(text, size, most/2)
	return fit(text[:len(text)-len(end)], size, most-width(end, size)) + strings.TrimSpace(end)
}

// ending returns the longest end of a text that fits, at least one letter.
func ending(text string, size, most float64) string {
	start := 0
	for g := uniseg.NewGraphemes(text); g.Next() && width(text[start:], size) > most; {
		if next := start + len(g.Str()); next < len(text) {
			start = next
		}
	}
	return text[start:]
}
