package pool_test

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/pool"
)

// A Pool with zero Options creates values with new, and Put calls their Reset method.
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
