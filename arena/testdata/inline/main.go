// Command inline is what a user's hot loop looks like to the compiler.
package main

import "github.com/coppice-go/coppice/arena"

type node struct{ left, right *node }

func build(a *arena.Arena, left, right *node) *node {
	if left == nil {
		return arena.New[node](a)
	}
	return arena.Alloc(a, node{left, right})
}

func add(a *arena.Arena, list []*node, n *node) []*node { return append(arena.Grow(a, list, 1), n) }

func main() { add(nil, nil, build(nil, nil, nil)) }
