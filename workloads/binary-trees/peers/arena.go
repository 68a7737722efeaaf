//go:build goexperiment.arenas

package main

import "arena"

func init() { strategies = append(strategies, strategy{name: "arena", newWorker: newArena}) }

type arenaNode struct{ left, right *arenaNode }

// arenas uses the standard library's experimental package arena: one arena for each tree, freed
// explicitly after the tree is counted. The collector scans the nodes like all others.
type arenas struct{}

func newArena(uint64) (worker, error) { return arenas{}, nil }

func buildArena(a *arena.Arena, depth int) *arenaNode {
	n := arena.New[arenaNode](a)
	if depth > 0 {
		n.left, n.right = buildArena(a, depth-1), buildArena(a, depth-1)
	}
	return n
}

func (n *arenaNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (arenas) count(depth int) int {
	a := arena.NewArena()
	defer a.Free()
	return buildArena(a, depth).count()
}

// keep returns a function that refers to the arena, because the arena must stay reachable as long
// as its nodes are used.
func (arenas) keep(depth int) func() int {
	a := arena.NewArena()
	root := buildArena(a, depth)
	return func() int {
		defer a.Free()
		return root.count()
	}
}

// Close does nothing: there is no memory to free.
func (arenas) Close() error { return nil }
