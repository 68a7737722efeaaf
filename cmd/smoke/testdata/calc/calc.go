// Package calc parses sums and products.
package calc

import "strings"

// A Node is a number, or an operation of two nodes.
type Node struct {
	Op          byte
	Value       int
	Left, Right *Node
}

// A parser reads an expression.
type parser struct {
	text string
	at   int
}

// Parse reads an expression of digits, + and *.
func Parse(text string) *Node {
	p := &parser{text: text}
	return p.sum()
}

func (p *parser) sum() *Node {
	n := p.product()
	for p.at < len(p.text) && p.text[p.at] == '+' {
		p.at++
		n = &Node{Op: '+', Left: n, Right: p.product()} // found
	}
	return n
}

func (p *parser) product() *Node {
	n := p.number()
	for p.at < len(p.text) && p.text[p.at] == '*' {
		p.at++
		n = &Node{Op: '*', Left: n, Right: p.number()} // found
	}
	return n
}

func (p *parser) number() *Node {
	p.at++
	return &Node{Value: int(p.text[p.at-1] - '0')} // found
}

// Letters counts the letters of the words of a text.
func Letters(text string) (n int) {
	for _, word := range strings.Fields(text) {
		n += len(word)
	}
	return n
}
