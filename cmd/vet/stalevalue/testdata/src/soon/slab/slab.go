// Package slab has chunks that the collector owns.
package slab

type Chunks struct{ left []int }

func (c *Chunks) New() *int { return new(int) }
func (c *Chunks) Reset()    { c.left = nil }
