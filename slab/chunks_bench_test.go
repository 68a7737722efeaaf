package slab_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/slab"
)

// syntax is a typical syntax tree node. It has 104 bytes and six pointers.
type syntax struct {
	_    [3]*syntax // parent, children
	next *syntax
	kind int
	_    string
	_    []string
	_    [2]uint64
}

// byHand is the allocator of a few lines that a program could have instead of Chunks. It takes
// values from chunks of a fixed length.
type byHand struct{ chunk []syntax }

func (c *byHand) put(v syntax) *syntax {
	if len(c.chunk) == 0 {
		c.chunk = make([]syntax, 64)
	}
	p := &c.chunk[0]
	c.chunk = c.chunk[1:]
	*p = v
	return p
}

var kept *syntax

// BenchmarkOwner measures the cost per value of an owner, such as a parser, that makes a list of
// values and is dropped together with them. It compares plain new, byHand and Chunks, for owners of
// few and of many values.
func BenchmarkOwner(b *testing.B) {
	for _, values := range []int{3, 30, 300, 3000, 30_000} {
		run := func(by string, owner func() func(v syntax) *syntax) {
			b.Run(fmt.Sprintf("values=%d/by=%s", values, by), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N / values {
					put := owner()
					var list *syntax
					for i := range values {
						list = put(syntax{next: list, kind: i})
					}
					kept = list
				}
			})
		}
		run("new", func() func(syntax) *syntax { return func(v syntax) *syntax { return &v } })
		run("hand", func() func(syntax) *syntax { return new(byHand).put })
		run("Chunks", func() func(syntax) *syntax { return new(slab.Chunks[syntax]).Alloc })
	}
}
