package btree_test

import (
	"fmt"

	"github.com/coppice-go/coppice/btree"
)

// Keys are ordered, so a loop can visit a range of keys.
func ExampleMap() {
	m := btree.Must(btree.New[string, int](btree.Options{}))
	defer m.Close()
	m.Set("ulm", 128)
	m.Set("aalen", 68)
	m.Set("jena", 111)
	for name, n := range m.Range("b", "u") {
		fmt.Println(name, n)
	}
	name, n, ok := m.Min()
	fmt.Println(name, n, ok)
	// Output:
	// jena 111
	// aalen 68 true
}

func ExampleIter() {
	m := numbers()
	defer m.Close()
	it := m.Iter()
	for ok := it.Seek(7); ok; ok = it.Next() {
		fmt.Println(it.Key(), it.Value())
	}
	// Output:
	// 7 49
	// 8 64
	// 9 81
}
