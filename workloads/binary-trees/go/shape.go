package binarytrees

import (
	"math"
	"strconv"
)

// These are the bounds of the depth: the depth of the smallest trees, the least maximum depth, and
// the largest depth that a program accepts (its trees occupy 64 TiB or more).
const (
	minDepth      = 4
	leastMaxDepth = minDepth + 2
	GreatestDepth = 40
)

// A Shape is the amount of work for a depth, given by the counts that ../spec.md defines.
type Shape struct{ max int }

// NewShape returns the shape for a depth, which is raised to 6 if it is less.
func NewShape(depth int) Shape { return Shape{max(depth, leastMaxDepth)} }

// nodes returns the number of nodes of one tree.
func nodes(depth int) uint64 { return 2<<depth - 1 }

// trees returns the number of trees of one depth.
func (s Shape) trees(depth int) uint64 { return 1 << (s.max - depth + minDepth) }

// greatestTree returns the number of nodes of the stretch tree, limited to the range of
// int.
func (s Shape) greatestTree() int { return int(min(nodes(s.max+1), math.MaxInt)) }

// TotalNodes returns the number of nodes of all trees, built and traversed.
func (s Shape) TotalNodes() uint64 {
	sum := nodes(s.max+1) + nodes(s.max)
	for depth := minDepth; depth <= s.max; depth += 2 {
		sum += s.trees(depth) * nodes(depth)
	}
	return sum
}

// MinBytes returns the least memory in which the strategy can do the work: the trees that
// are live at the same time, without garbage.
func (s Shape) MinBytes(strategy Strategy, workers int) uint64 {
	nodeBytes := strategy.nodeBytes
	if nodeBytes == 0 {
		nodeBytes = max(2, strategy.nodeWords) * strconv.IntSize / 8
	}
	if strategy.keepsAll {
		return nodeBytes * s.TotalNodes()
	}
	stretch, longLived := nodes(s.max+1), nodes(s.max)
	deepest := s.max - s.max%2 // depths go up in steps of two
	short := min(uint64(workers), s.trees(deepest)) * nodes(deepest)
	if strategy.reuses {
		return nodeBytes * (stretch + short) // the long-lived tree is in the stretch tree's memory
	}
	return nodeBytes * max(stretch, longLived+short)
}
