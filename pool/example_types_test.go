package pool_test

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/pool"
)

// With the zero Options, values are made by new, and Put calls their method Reset.
func ExamplePool() {
	var builders pool.Pool[strings.Builder]
	b := builders.Get()
	b.WriteString("oak")
	fmt.Println(b.Len())
	builders.Put(b)
	fmt.Println(builders.Get().Len())
	// Output:
	// 3
	// 0
}
