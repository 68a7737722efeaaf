package main

import "fmt"

// counts is the result of a traversal. All counts are sums, so the order of the traversal does not
// matter.
type counts struct {
	files, nodes, identifiers, calls uint64

	names  uint64 // bytes of the identifiers' names
	parens uint64 // sum of the positions of the calls' parentheses in their files, from 1
}

func (c counts) String() string {
	return fmt.Sprintf("%d files with %d nodes\n%d identifiers of %d bytes\n%d calls at %d",
		c.files, c.nodes, c.identifiers, c.names, c.calls, c.parens)
}

func (c *counts) identifier(name string) {
	c.identifiers++
	c.names += uint64(len(name))
}

func (c *counts) call(paren uint32) {
	c.calls++
	c.parens += uint64(paren)
}

func (c *counts) plus(d counts) {
	c.files += d.files
	c.nodes += d.nodes
	c.identifiers += d.identifiers
	c.calls += d.calls
	c.names += d.names
	c.parens += d.parens
}
