package coppice_test

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
)

// expr is a node of a parsed sum or product. It contains ordinary pointers.
type expr struct {
	op          byte // '+', '*', or 0 for a number
	number      int
	left, right *expr
}

// parser allocates its tree in a slab. Parsers are kept in a pool: each request takes a parser from
// it and reuses the memory that earlier requests have left in the slab.
type parser struct {
	nodes slab.Slab[expr]
	rest  string
}

var parsers = &pool.Pool[parser]{Options: pool.Options[parser]{
	Reset:   func(p *parser) { p.nodes.Reset(); p.rest = "" },
	Size:    func(p *parser) int { return p.nodes.Cap() },
	MaxSize: 100_000, // nodes; parsers of larger trees are not kept
}}

func (p *parser) number() *expr {
	n := p.nodes.New()
	for p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9' {
		n.number = 10*n.number + int(p.rest[0]-'0')
		p.rest = p.rest[1:]
	}
	return n
}

// chain parses operands that are joined by op, and associates them to the left.
func (p *parser) chain(op byte, operand func() *expr) *expr {
	left := operand()
	for strings.HasPrefix(p.rest, string(op)) {
		p.rest = p.rest[1:]
		n := p.nodes.New()
		n.op, n.left, n.right = op, left, operand()
		left = n
	}
	return left
}

func (p *parser) product() *expr { return p.chain('*', p.number) }

func (e *expr) value() int {
	switch e.op {
	case '+':
		return e.left.value() + e.right.value()
	case '*':
		return e.left.value() * e.right.value()
	}
	return e.number
}

func evaluate(text string) int {
	p := parsers.Get()
	defer parsers.Put(p) // frees the tree and leaves its memory to the next caller
	p.rest = text
	return p.chain('+', p.product).value()
}

// This program evaluates arithmetic expressions. The parser allocates each tree in a slab, and
// frees all nodes of the tree at once.
func Example() {
	for _, text := range []string{"1+2*3", "10*10+10*10", "7"} {
		fmt.Println(text, "=", evaluate(text))
	}
	// Output:
	// 1+2*3 = 7
	// 10*10+10*10 = 200
	// 7 = 7
}
