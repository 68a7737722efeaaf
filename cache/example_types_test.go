package cache_test

import (
	"fmt"

	"github.com/coppice-go/coppice/cache"
)

// A Cache evicts entries to stay within MaxBytes.
func ExampleCache() {
	c := cache.Must(cache.New[uint64, uint64](cache.Options{MaxBytes: 1 << 20, Shards: 1}))
	defer c.Close()
	for i := range uint64(100_000) {
		_ = c.Set(i, i)
	}
	fmt.Println(c.Len() < 100_000, c.Stats().Bytes <= 1<<20)
	// Output: true true
}
