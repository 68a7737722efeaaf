package hashmap_test

import (
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/hashmap"
)

func ExampleMap() {
	m := hashmap.Must(hashmap.New[string, int32](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", 128)
	m.Set("jena", 111)
	n, ok := m.Get("ulm")
	fmt.Println(n, ok, m.Len())
	fmt.Println(m.Delete("ulm"), m.Has("ulm"))
	// Output:
	// 128 true 2
	// true false
}

// Any number of goroutines may use a Sharded concurrently. Update is atomic.
func ExampleSharded() {
	hits := hashmap.Must(hashmap.NewSharded[string, uint64](hashmap.Options{}))
	defer hits.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				hits.Update("/", func(n uint64, _ bool) uint64 { return n + 1 })
			}
		})
	}
	all.Wait()
	fmt.Println(hits.Get("/"))
	// Output: 400 true
}

// View provides a value without copying it. Get returns a copy.
func ExampleTexts() {
	m := hashmap.Must(hashmap.NewTexts[string, string](hashmap.Options{}))
	defer m.Close()
	m.Set("ulm", "on the Danube")
	m.View("ulm", func(value []byte) { fmt.Println(len(value)) })
	fmt.Println(m.Get("ulm"))
	// Output:
	// 13
	// on the Danube true
}

func ExampleShardedTexts() {
	m := hashmap.Must(hashmap.NewShardedTexts[uint64, string](hashmap.Options{}))
	defer m.Close()
	var all sync.WaitGroup
	for i := range uint64(4) {
		all.Go(func() { m.Set(i, fmt.Sprint("user ", i)) })
	}
	all.Wait()
	name, ok := m.Get(3)
	fmt.Println(name, ok, m.Len())
	// Output: user 3 true 4
}
