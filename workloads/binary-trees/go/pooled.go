package binarytrees

import "sync"

type pooledNode struct{ left, right *pooledNode }

// pooled takes every node from a sync.Pool and returns it to the pool after the tree is counted. It
// uses a plain sync.Pool, as the write-ups advise.
type pooled struct{ nodes *sync.Pool }

func newPooled(Shape) (worker, error) {
	return pooled{&sync.Pool{New: func() any { return new(pooledNode) }}}, nil
}

func (p pooled) build(depth int) *pooledNode {
	n := p.nodes.Get().(*pooledNode)
	if depth == 0 {
		n.left, n.right = nil, nil
	} else {
		n.left, n.right = p.build(depth-1), p.build(depth-1)
	}
	return n
}

func (n *pooledNode) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func (p pooled) drop(n *pooledNode) {
	if n.left != nil {
		p.drop(n.left)
		p.drop(n.right)
	}
	p.nodes.Put(n)
}

func (p pooled) count(depth int) int {
	root := p.build(depth)
	nodes := root.count()
	p.drop(root)
	return nodes
}

func (p pooled) keep(depth int) func() int { return p.build(depth).count }
