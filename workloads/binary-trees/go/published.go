package binarytrees

import "slices"

// Published are the programs of the write-ups as they were published, rewritten from their
// descriptions in docs/CLAIMS.md. They are beside ours in order to be measured, and retain what
// ours avoid: calls through an interface, items that are never requested, memory that is never
// returned. Phases and the distribution of trees over goroutines are the same as in run.go.
var Published = []Strategy{
	{Name: "c1-naive", Claim: "C1 as published", newWorker: newC1Naive, Allocator: "c1Naive",
		Does: "&Tree{} behind an interface"},
	{Name: "c1-buffered", Claim: "C1 as published", newWorker: newC1Buffered,
		Does: "a fresh allocator and its buffer for every tree, behind an interface"},
	{Name: "c2-naive", Claim: "C2 as published", newWorker: newC2Naive, nodeWords: 3,
		Does: "&Node{item, left, right} for every node"},
	{Name: "c2-indexed", Claim: "C2 as published", newWorker: newC2Indexed, nodeWords: 3, keepsAll: true,
		Does: "ids in buckets of 1,048,576 nodes, never freed"},
	{Name: "c2-pointers", Claim: "C2's buckets without its ids", newWorker: newC2Pointers, nodeWords: 3, keepsAll: true,
		Does: "pointers into buckets of 1,048,576 nodes, never freed"},
	{Name: "c2-append", Claim: "C2's ids without its buckets", newWorker: newC2Append, nodeWords: 3, keepsAll: true,
		Does: "ids in one slice that append copies, never freed"},
	{Name: "c4-naive", Claim: "C4 as published", newWorker: newC4Naive, nodeWords: 3,
		Does: "&Node{item, left, right}, checked by items"},
	{Name: "c4-arena", Claim: "C4 as published", newWorker: newC4Arena, nodeWords: 3,
		Does: "the last node of a chunk of 10,000, checked by items"},
}

// Published reports whether the strategy is one of a write-up's programs.
func (s Strategy) Published() bool {
	return slices.ContainsFunc(Published, func(p Strategy) bool { return p.Name == s.Name })
}
