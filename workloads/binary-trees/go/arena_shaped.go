package binarytrees

import "github.com/coppice-go/coppice/arena"

type arenaShapedNode struct{ left, right *arenaShapedNode }

// arenaShaped is inArena with its recursion unrolled by hand: it continues with the right child in
// a loop, and creates leaves in the call for their parent.
type arenaShaped struct{ memory arena.Arena }

func newArenaShaped(Shape) (worker, error) { return &arenaShaped{}, nil }

func buildArenaShaped(memory *arena.Arena, depth int) *arenaShapedNode {
	root := arena.New[arenaShapedNode](memory)
	n := root
	for ; depth > 1; depth-- {
		n.left = buildArenaShaped(memory, depth-1)
		n.right = arena.New[arenaShapedNode](memory)
		n = n.right
	}
	if depth == 1 {
		n.left, n.right = arena.New[arenaShapedNode](memory), arena.New[arenaShapedNode](memory)
	}
	return root
}

// count recurses in the same way.
func (n *arenaShapedNode) count() int {
	count := 1
	for n.left != nil {
		if n.left.left == nil {
			count += 2
		} else {
			count += 1 + n.left.count()
		}
		n = n.right
	}
	return count
}

func (a *arenaShaped) count(depth int) int {
	nodes := buildArenaShaped(&a.memory, depth).count()
	a.memory.Reset()
	return nodes
}

func (a *arenaShaped) keep(depth int) func() int { return buildArenaShaped(&a.memory, depth).count }
