package inline_test

import (
	"fmt"

	"github.com/coppice-go/coppice/inline"
)

// A Vec stores its first elements inline. The first one that does not fit moves all elements to the
// Go heap.
func ExampleVec() {
	var squares inline.Vec[int, [4]int]
	for i := range 4 {
		squares.Append(i * i)
	}
	fmt.Println(squares.Slice(), squares.Inline())
	squares.Append(16)
	fmt.Println(squares.Slice(), squares.Inline())
	// Output:
	// [0 1 4 9] true
	// [0 1 4 9 16] false
}
