// Command inline is what a user's hot loop looks like to the compiler.
package main

import "github.com/coppice-go/coppice/slab"

type node struct{ left, right *node }

func build(s *slab.Slab[node], depth int) *node {
	n := s.New()
	if depth > 0 {
		n.left, n.right = build(s, depth-1), build(s, depth-1)
	}
	return n
}

func put(s *slab.Slab[node], left, right *node) *node { return s.Alloc(node{left, right}) }

func keep(c *slab.Chunks[node], left, right *node) *node {
	if left == nil {
		return c.New()
	}
	return c.Alloc(node{left, right})
}

func main() {
	var s slab.Slab[node]
	var c slab.Chunks[node]
	build(&s, 10)
	put(&s, keep(&c, nil, nil), nil)
}
