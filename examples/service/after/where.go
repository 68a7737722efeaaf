package after

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/symbols"
)

// A condition is a node of an expression tree.
type condition interface{ holds(*record) bool }

type (
	and   struct{ a, b condition }
	or    struct{ a, b condition }
	not   struct{ a condition }
	equal struct {
		field string
		value symbols.Symbol // 0, which is not a valid Symbol, for a name that no goods have
	}
	than struct {
		field string
		less  int // -1 for <, 1 for >
		value int
	}
)

func (c *and) holds(g *record) bool { return c.a.holds(g) && c.b.holds(g) }
func (c *or) holds(g *record) bool  { return c.a.holds(g) || c.b.holds(g) }
func (c *not) holds(g *record) bool { return !c.a.holds(g) }

func (c *equal) holds(g *record) bool {
	if c.field == "color" {
		return g.color == c.value
	}
	return g.brand == c.value
}

func (c *than) holds(g *record) bool {
	v := int(g.price)
	if c.field == "stock" {
		v = int(g.stock)
	}
	return (v-c.value)*c.less > 0
}

// A parser reads: or = and {"or" and}; and = not {"and" not}; not = "not" not | "(" or ")" | field
// op value.
type parser struct {
	arena *arena.Arena
	names *symbols.Table
	words []string
	depth int
}

// mostDepth is the maximum nesting depth of a condition.
const mostDepth = 100

// parse returns a condition that is allocated in the arena a. The parameter names is the table of
// the brands and colors of the goods.
func parse(a *arena.Arena, names *symbols.Table, text string) (condition, error) {
	p := &parser{arena: a, names: names, words: split(a, text)}
	c, err := p.or()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("where: unexpected %q; write and, or, or nothing there", p.words[0])
	}
	return c, err
}

// split returns the words and parentheses of a text, in a slice that is allocated in the arena a.
func split(a *arena.Arena, text string) (words []string) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return words
		}
		end := strings.IndexAny(text, " \t\r\n()")
		switch end {
		case -1:
			end = len(text)
		case 0:
			end = 1
		}
		words = arena.Append(a, words, text[:end])
		text = text[end:]
	}
}

func (p *parser) next() (word string) {
	if len(p.words) > 0 {
		word, p.words = p.words[0], p.words[1:]
	}
	return word
}

func (p *parser) is(word string) bool {
	is := len(p.words) > 0 && p.words[0] == word
	if is {
		p.words = p.words[1:]
	}
	return is
}

func (p *parser) or() (condition, error) {
	a, err := p.and()
	for err == nil && p.is("or") {
		var b condition
		b, err = p.and()
		a = arena.Alloc(p.arena, or{a, b})
	}
	return a, err
}

func (p *parser) and() (condition, error) {
	a, err := p.not()
	for err == nil && p.is("and") {
		var b condition
		b, err = p.not()
		a = arena.Alloc(p.arena, and{a, b})
	}
	return a, err
}

func (p *parser) not() (condition, error) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > mostDepth {
		return nil, fmt.Errorf("where: nested more than %d deep; write it flatter", mostDepth)
	}
	switch {
	case p.is("not"):
		a, err := p.not()
		return arena.Alloc(p.arena, not{a}), err
	case p.is("("):
		a, err := p.or()
		if err == nil && !p.is(")") {
			err = fmt.Errorf("where: a parenthesis is open; close it")
		}
		return a, err
	}
	return p.compare()
}

func (p *parser) compare() (condition, error) {
	field, op, value := p.next(), p.next(), p.next()
	switch field {
	case "color", "brand":
		if op == "=" && value != "" {
			name, _ := p.names.Lookup(value)
			return arena.Alloc(p.arena, equal{field, name}), nil
		}
	case "price", "stock":
		n, err := strconv.Atoi(value)
		if less, ok := map[string]int{"<": -1, ">": 1}[op]; ok && err == nil {
			return arena.Alloc(p.arena, than{field, less, n}), nil
		}
	}
	return nil, fmt.Errorf("where: invalid %q: must be color or brand = NAME, or price or stock < or > NUMBER", field+" "+op+" "+value)
}
