package binarytrees

type naiveNode struct{ left, right *naiveNode }

func buildNaive(depth int) *naiveNode {
	if depth == 0 {
		return &naiveNode{}
	}
	return &naiveNode{buildNaive(depth - 1), buildNaive(depth - 1)}
}

func (n *naiveNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

// naive allocates every node separately and leaves all of them to the collector.
type naive struct{}

func newNaive(Shape) (worker, error) { return naive{}, nil }

func (naive) count(depth int) int { return buildNaive(depth).count() }

func (naive) keep(depth int) func() int { return buildNaive(depth).count }
