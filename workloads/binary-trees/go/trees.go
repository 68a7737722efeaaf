// Package binarytrees solves binary-trees, defined in ../spec.md, with a choice of allocation
// strategies. Each strategy is a separate file that can be read alone, with its node, build,
// count, and the worker that uses them. run.go contains the common part: the phases, and the
// distribution of trees.
package binarytrees

// A worker builds and drops trees for one goroutine, with its own allocator. If it owns memory
// outside the Go heap, it is an io.Closer.
type worker interface {
	// count builds a tree of the given depth, counts its nodes by traversing it, and drops it.
	count(depth int) int

	// keep builds a tree, keeps it, and returns a function that traverses it. The worker is not
	// used again.
	keep(depth int) func() int
}

// A Strategy is one way to allocate the nodes.
type Strategy struct {
	Number int    // an alternative to Name on the command line
	Name   string // the project's term: naive, buffered, chunked, pooled...
	Does   string // what it does, in one line
	Claim  string // the published claim that it reproduces

	// newWorker creates a worker for trees of the shape; it fails if the largest tree does not fit.
	newWorker func(Shape) (worker, error)

	// nodeBytes is the size of a node; 0 stands for two pointers.
	nodeBytes uint64

	// nodeWords, if not zero, is the size of a node in words.
	nodeWords uint64

	// reuses states that the long-lived tree reuses the memory of the stretch tree.
	reuses bool

	// keepsAll states that no node is ever freed.
	keepsAll bool

	// Allocator, if not empty, is a part of the names of the functions whose share of all
	// allocations the program reports.
	Allocator string
}

// Strategies lists all strategies; the number of each is its index.
var Strategies = []Strategy{
	{Number: 0, Name: "naive", Claim: "the baseline; as published: c1-naive, c4-naive", newWorker: newNaive,
		Does: "&node{} for every node"},
	{Number: 1, Name: "buffered", Claim: "C1 without its interface; as published: c1-buffered", newWorker: newBuffered,
		Does: "one fresh buffer of 2^(depth+1) nodes for every tree"},
	{Number: 2, Name: "chunked", Claim: "C4 without items; as published: c4-arena", newWorker: newChunked,
		Does: "fresh chunks of 10,000 nodes, never reused"},
	{Number: 3, Name: "pooled", Claim: "C1, C5: sync.Pool as the general answer", newWorker: newPooled,
		Does: "a sync.Pool gives and takes back every node"},
	{Number: 4, Name: "slab", Claim: "Coppice: slab.Slab", newWorker: newSlab, reuses: true,
		Does: "chunks of a slab.Slab, Reset after every tree"},
	{Number: 5, Name: "indexed", Claim: "C2 with links of 32 bits; as published: c2-indexed", newWorker: newIndexed, reuses: true, nodeBytes: 8,
		Does: "a store.Store linked by Refs, Reset after every tree"},
	{Number: 6, Name: "unrolled", Claim: "Coppice: how fast Go can be", newWorker: newUnrolled, reuses: true, nodeBytes: 8,
		Does: "one block of a store.Store, last levels written out"},
	{Number: 7, Name: "flat", Claim: "Coppice: coppice flat", newWorker: newFlat, nodeBytes: 8,
		Does: "a generated flat tree, in the memory of the last"},
	{Number: 8, Name: "slab-plain", Claim: "Coppice: slab.Slab", newWorker: newSlabPlain, reuses: true,
		Does: "slab with the recursion of a textbook"},
	{Number: 9, Name: "indexed-plain", Claim: "Coppice: store.Store", newWorker: newIndexedPlain, reuses: true, nodeBytes: 8,
		Does: "indexed with the recursion of a textbook"},
	{Number: 10, Name: "arena", Claim: "Coppice: arena.Arena", newWorker: newInArena, reuses: true,
		Does: "an arena.Arena, Reset after every tree"},
	{Number: 11, Name: "arena-shaped", Claim: "Coppice: arena.Arena", newWorker: newArenaShaped, reuses: true,
		Does: "arena with its recursion unfolded by hand"},
	{Number: 12, Name: "naive-shaped", Claim: "the baseline in the shape of slab", newWorker: newNaiveShaped,
		Does: "naive with its recursion unfolded by hand"},
}

// Keep builds one tree of the given depth with the strategy, and returns the function that
// counts its nodes. The tree lives until close, or until both functions are dropped.
func Keep(s Strategy, depth int) (count func() int, closeTree func() error, err error) {
	w, err := s.newWorker(NewShape(depth))
	if err != nil {
		return nil, nil, err
	}
	return w.keep(depth), func() error { return closeAll([]worker{w}) }, nil
}
