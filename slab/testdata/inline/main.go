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

func main() {
	var s slab.Slab[node]
	build(&s, 10)
}
