package flat_test

import (
	"fmt"

	"github.com/coppice-go/coppice/flat"
)

func ExampleUint24() {
	fmt.Println(flat.Uint24(flat.MaxUint24))
	// Output: 16777215
}

func ExampleInt24() {
	fmt.Println(flat.Int24(flat.MinInt24), flat.Int24(flat.MaxInt24))
	// Output: -8388608 8388607
}
