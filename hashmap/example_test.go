package hashmap_test

import (
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/hashmap"
)

// A Map replaces a map[string]uint64. It is created with New and must be closed, and methods
// replace the index expressions.
func Example() {
	counts := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
	defer counts.Close()
	for _, word := range []string{"oak", "ash", "oak"} {
		n, _ := counts.Get(word) // counts[word]
		counts.Set(word, n+1)    // counts[word] = n + 1
	}
	for word, n := range counts.All() { // range counts
		if word == "oak" {
			fmt.Println(word, n)
		}
	}
	fmt.Println(counts.Delete("ash"), counts.Len())
	// Output:
	// oak 2
	// true 1
}

// squares returns a Map for the examples. It maps the numbers 1 to 9 to their squares.
func squares() *hashmap.Map[uint64, uint64] {
	m := hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{}))
	for i := uint64(1); i < 10; i++ {
		m.Set(i, i*i)
	}
	return m
}

func ExampleMust() {
	m := hashmap.Must(hashmap.New[[12]byte, float32](hashmap.Options{}))
	defer m.Close()
	m.Set([12]byte{7}, 0.5)
	fmt.Println(m.Get([12]byte{7}))
	// Output: 0.5 true
}

func ExampleNew() {
	type page struct{ Title string }
	_, err := hashmap.New[uint64, page](hashmap.Options{})
	fmt.Println(err)
	// Output: hashmap.New: hashmap_test.page.Title is a string, a pointer that the collector would not see; use an array of bytes, or a number that names the string elsewhere, as symbols.Table does
}

func ExampleMap_Get() {
	m := squares()
	defer m.Close()
	fmt.Println(m.Get(5))
	fmt.Println(m.Get(50))
	// Output:
	// 25 true
	// 0 false
}

func ExampleMap_Has() {
	m := squares()
	defer m.Close()
	fmt.Println(m.Has(9), m.Has(10))
	// Output: true false
}

func ExampleMap_Set() {
	m := squares()
	defer m.Close()
	m.Set(5, 26)
	fmt.Println(m.Get(5))
	// Output: 26 true
}

func ExampleMap_TrySet() {
	m, err := hashmap.New[uint64, uint64](hashmap.Options{Max: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.TrySet(1, 1), errors.Is(m.TrySet(2, 2), hashmap.ErrFull))
	// Output: <nil> true
}

func ExampleMap_GetOrSet() {
	m := squares()
	defer m.Close()
	fmt.Println(m.GetOrSet(9, 0))
	fmt.Println(m.GetOrSet(10, 100))
	// Output:
	// 81 true
	// 100 false
}

func ExampleMap_Update() {
	m := squares()
	defer m.Close()
	m.Update(9, func(v uint64, ok bool) uint64 { return v + 1 })
	fmt.Println(m.Get(9))
	// Output: 82 true
}

func ExampleMap_Delete() {
	m := squares()
	defer m.Close()
	fmt.Println(m.Delete(9), m.Delete(9), m.Len())
	// Output: true false 8
}

func ExampleMap_All() {
	m := squares()
	defer m.Close()
	for k := range m.All() {
		if k%2 == 0 {
			m.Delete(k) // allowed, as with Go's map
		}
	}
	fmt.Println(slices.Sorted(maps.Keys(maps.Collect(m.All()))))
	// Output: [1 3 5 7 9]
}

func ExampleMap_Len() {
	seen := hashmap.Must(hashmap.New[string, struct{}](hashmap.Options{}))
	defer seen.Close()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		seen.Set(word, struct{}{})
	}
	fmt.Println(seen.Len(), "different words")
	// Output: 4 different words
}

// The memory of a Map larger than 32 KiB comes directly from the system. The garbage collector does
// not free it; Close does.
func ExampleMap_Close() {
	m := hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{}))
	for i := range uint64(100_000) {
		m.Set(i, i*i)
	}
	fmt.Println(m.Stats().Committed > 32<<10)
	fmt.Println(m.Close())
	// Output:
	// true
	// <nil>
}

func ExampleMap_Clear() {
	m := squares()
	defer m.Close()
	m.Clear()
	fmt.Println(m.Len())
	// Output: 0
}

func ExampleMap_Clone() {
	m := squares()
	defer m.Close()
	c, err := m.Clone()
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	m.Set(9, 0)
	fmt.Println(c.Get(9))
	// Output: 81 true
}

func ExampleMap_Reserve() {
	m := hashmap.Must(hashmap.New[uint64, uint64](hashmap.Options{}))
	defer m.Close()
	if err := m.Reserve(100_000); err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Len(), m.Stats().Slots > 100_000)
	// Output: 0 true
}

func ExampleMap_Stats() {
	m := squares()
	defer m.Close()
	fmt.Println(m.Stats().Len, m.Stats().Slots)
	// Output: 9 16
}

func ExampleMap_Verify() {
	m := squares()
	defer m.Close()
	fmt.Println(m.Verify())
	// Output: <nil>
}

// A program calls Save regularly. After a restart, it opens the last complete file.
func ExampleMap_Save() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "squares")
	m := squares()
	defer m.Close()
	for i := uint64(10); i < 13; i++ {
		m.Set(i, i*i)
		if err := m.Save(path); err != nil {
			log.Fatal(err)
		}
	}
	opened, err := hashmap.OpenFile[uint64, uint64](path, hashmap.Options{Verify: true})
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Len(), opened.Has(12))
	// Output: 12 true
}

func ExampleOpenFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	m := squares()
	defer m.Close()
	path := filepath.Join(dir, "squares")
	if err := m.Save(path); err != nil {
		log.Fatal(err)
	}
	opened, err := hashmap.OpenFile[uint64, uint64](path, hashmap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Get(9))
	// Output: 81 true
}

func ExampleMap_TryGetOrSet() {
	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{Max: 1}))
	defer m.Close()
	fmt.Println(m.TryGetOrSet("a", 1))
	fmt.Println(m.TryGetOrSet("a", 2))
	_, _, err := m.TryGetOrSet("b", 3)
	fmt.Println(errors.Is(err, hashmap.ErrFull))
	// Output:
	// 1 false <nil>
	// 1 true <nil>
	// true
}

func ExampleMap_TryUpdate() {
	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{Max: 1}))
	defer m.Close()
	count := func(n uint64, _ bool) uint64 { return n + 1 }
	fmt.Println(m.TryUpdate("a", count), errors.Is(m.TryUpdate("b", count), hashmap.ErrFull))
	// Output: <nil> true
}

func ExampleMap_Keys() {
	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{Max: 1}))
	defer m.Close()
	m.Set("a", 1)
	for k := range m.Keys() {
		fmt.Println(k)
	}
	// Output: a
}

func ExampleMap_Values() {
	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{Max: 1}))
	defer m.Close()
	m.Set("a", 1)
	for v := range m.Values() {
		fmt.Println(v)
	}
	// Output: 1
}

// AllBytes finds long keys without allocating a string for each key.
func ExampleMap_AllBytes() {
	m := hashmap.Must(hashmap.New[string, uint64](hashmap.Options{}))
	defer m.Close()
	m.Set("a", 1)
	m.Set("a long key", 2)
	for k, n := range m.AllBytes() {
		if len(k) > 5 {
			fmt.Println(string(k), n) // k is valid only during the iteration; string(k) copies it
		}
	}
	// Output: a long key 2
}
