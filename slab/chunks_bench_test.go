package slab_test

import (
	"fmt"
	"testing"

	"github.com/coppice-go/coppice/slab"
)

// syntax is a typical node of a parser: 104 bytes, six pointers.
type syntax struct {
	_    [3]*syntax // parent, children
	next *syntax
	kind int
	_    string
	_    []string
	_    [2]uint64
}

// byHand is the ten-line allocator that a program writes for itself: chunks of a fixed length.
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

// BenchmarkOwner is one owner, such as a parser, that makes a list of values and is dropped with
// them. It compares the cost of a value with new, with ten lines by hand, and with Chunks, for
// owners of few and of many values.
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
