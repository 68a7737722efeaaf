package binarytrees

type naiveShapedNode struct{ left, right *naiveShapedNode }

// buildNaiveShaped continues with the right child in a loop, and creates leaves in the call for
// their parent.
func buildNaiveShaped(depth int) *naiveShapedNode {
	root := &naiveShapedNode{}
	n := root
	for ; depth > 1; depth-- {
		n.left = buildNaiveShaped(depth - 1)
		n.right = &naiveShapedNode{}
		n = n.right
	}
	if depth == 1 {
		n.left, n.right = &naiveShapedNode{}, &naiveShapedNode{}
	}
	return root
}

// count recurses in the same way.
func (n *naiveShapedNode) count() int {
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

// naiveShaped is naive with its recursion unrolled by hand.
type naiveShaped struct{}

func newNaiveShaped(Shape) (worker, error) { return naiveShaped{}, nil }

func (naiveShaped) count(depth int) int { return buildNaiveShaped(depth).count() }

func (naiveShaped) keep(depth int) func() int { return buildNaiveShaped(depth).count }
