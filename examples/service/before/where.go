package before

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/examples/service/shop"
)

// A condition is a node of an expression tree.
type condition interface{ holds(*shop.Goods) bool }

type (
	and   struct{ a, b condition }
	or    struct{ a, b condition }
	not   struct{ a condition }
	equal struct{ field, value string }
	than  struct {
		field string
		less  int // -1 for <, 1 for >
		value int
	}
)

func (c *and) holds(g *shop.Goods) bool { return c.a.holds(g) && c.b.holds(g) }
func (c *or) holds(g *shop.Goods) bool  { return c.a.holds(g) || c.b.holds(g) }
func (c *not) holds(g *shop.Goods) bool { return !c.a.holds(g) }

func (c *equal) holds(g *shop.Goods) bool {
	if c.field == "color" {
		return g.Color == c.value
	}
	return g.Brand == c.value
}

func (c *than) holds(g *shop.Goods) bool {
	v := g.Price
	if c.field == "stock" {
		v = g.Stock
	}
	return (v-c.value)*c.less > 0
}

// A parser reads: or = and {"or" and}; and = not {"and" not}; not = "not" not | "(" or ")" | field
// op value.
type parser struct {
	words []string
	depth int
}

// mostDepth is the maximum nesting depth of a condition.
const mostDepth = 100

func parse(text string) (condition, error) {
	p := &parser{words: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))}
	c, err := p.or()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("where: unexpected %q; write and, or, or nothing there", p.words[0])
	}
	return c, err
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
		a = &or{a, b}
	}
	return a, err
}

func (p *parser) and() (condition, error) {
	a, err := p.not()
	for err == nil && p.is("and") {
		var b condition
		b, err = p.not()
		a = &and{a, b}
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
		return &not{a}, err
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
			return &equal{field, value}, nil
		}
	case "price", "stock":
		n, err := strconv.Atoi(value)
		if less, ok := map[string]int{"<": -1, ">": 1}[op]; ok && err == nil {
			return &than{field, less, n}, nil
		}
	}
	return nil, fmt.Errorf("where: invalid %q: must be color or brand = NAME, or price or stock < or > NUMBER", field+" "+op+" "+value)
}
