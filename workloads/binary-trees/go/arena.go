package binarytrees

import "github.com/coppice-go/coppice/arena"

type arenaNode struct{ left, right *arenaNode }

// inArena allocates its nodes in an Arena, which can contain values of any type, and resets it
// after every tree. It uses the textbook recursion.
type inArena struct{ memory arena.Arena }

func newInArena(Shape) (worker, error) { return &inArena{}, nil }

func buildArena(memory *arena.Arena, depth int) *arenaNode {
	n := arena.New[arenaNode](memory)
	if depth > 0 {
		n.left = buildArena(memory, depth-1)
		n.right = buildArena(memory, depth-1)
	}
	return n
}

func (n *arenaNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (a *inArena) count(depth int) int {
	nodes := buildArena(&a.memory, depth).count()
	a.memory.Reset()
	return nodes
}

func (a *inArena) keep(depth int) func() int { return buildArena(&a.memory, depth).count }
