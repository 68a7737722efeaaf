package witness

import coppiceSlab "github.com/coppice-go/coppice/slab"

// coppiceWitnessSlab is a slab.Chunks that is watched. A package gets only the methods that it
// calls, because older versions of the library lack some of them.
type coppiceWitnessSlab[T any] struct {
	coppiceSlab.Chunks[T]
	witness coppiceWitness
}

func (c *coppiceWitnessSlab[T]) in(owner string) *coppiceWitnessSlab[T] {
	c.witness.is(owner)
	return c
}

func (c *coppiceWitnessSlab[T]) New() *T {
	c.witness.enter()
	defer c.witness.leave()
	return c.Chunks.New()
}

func (c *coppiceWitnessSlab[T]) Alloc(v T) *T {
	c.witness.enter()
	defer c.witness.leave()
	return c.Chunks.Alloc(v)
}

func (c *coppiceWitnessSlab[T]) Make(n int) []T {
	c.witness.enter()
	defer c.witness.leave()
	return c.Chunks.Make(n)
}

func (c *coppiceWitnessSlab[T]) SliceOf(values ...T) []T {
	c.witness.enter()
	defer c.witness.leave()
	return c.Chunks.SliceOf(values...)
}
