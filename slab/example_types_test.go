package slab_test

import (
	"fmt"

	"github.com/coppice-go/coppice/slab"
)

// The values of a Slab live until Reset, which keeps their memory for the next phase.
func ExampleSlab() {
	var points slab.Slab[[2]int]
	for phase := range 3 {
		for i := range 1000 {
			points.Alloc([2]int{phase, i})
		}
		fmt.Println(points.Len())
		points.Reset()
	}
	fmt.Println(points.Len())
	// Output:
	// 1000
	// 1000
	// 1000
	// 0
}

// MaxChunk limits the memory that one value keeps alive.
func ExampleChunkOptions() {
	numbers := slab.Chunks[int]{Options: slab.ChunkOptions{MaxChunk: 16}}
	one, two := numbers.Alloc(1), numbers.Alloc(2)
	fmt.Println(*one, *two)
	// Output: 1 2
}
