package btree_test

import (
	"fmt"

	"github.com/coppice-go/coppice/btree"
)

// This example iterates forward from a key, and then backward over all entries.
func ExampleMap_Iter() {
	m := some()
	defer m.Close()
	it := m.Iter()
	for ok := it.Seek("b"); ok; ok = it.Next() {
		fmt.Println(it.Key(), it.Value())
	}
	for it.Prev() {
		fmt.Print(it.Key())
	}
	fmt.Println()
	// Output:
	// b 1
	// c 2
	// d 3
	// e 4
	// edcba
}

// An Iter of a snapshot does not see keys that are added to the map later.
func ExampleSnapshot_Iter() {
	m := some()
	defer m.Close()
	s := m.Snapshot()
	defer s.Close()
	m.Set("f", 5)
	it := s.Iter()
	fmt.Println(it.Last(), it.Key(), it.Next())
	// Output: true e false
}

func ExampleIter_First() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	it := m.Iter()
	fmt.Println(it.First())
	m.Set("a", 1)
	fmt.Println(it.First(), it.Key())
	// Output:
	// false
	// true a
}

func ExampleIter_Last() {
	m := some()
	defer m.Close()
	it := m.Iter()
	fmt.Println(it.Last(), it.Key(), it.Value())
	// Output: true e 4
}

func ExampleIter_Seek() {
	m := some()
	defer m.Close()
	it := m.Iter()
	fmt.Println(it.Seek("bb"), it.Key())
	fmt.Println(it.Seek("x"))
	// Output:
	// true c
	// false
}

func ExampleIter_Next() {
	m := some()
	defer m.Close()
	for it := m.Iter(); it.Next(); {
		fmt.Print(it.Key())
	}
	fmt.Println()
	// Output: abcde
}

func ExampleIter_Prev() {
	m := some()
	defer m.Close()
	for it := m.Iter(); it.Prev(); {
		fmt.Print(it.Key())
	}
	fmt.Println()
	// Output: edcba
}

// An Iter stays on its key when the map changes, even if that key is deleted.
func ExampleIter_Key() {
	m := some()
	defer m.Close()
	it := m.Iter()
	it.Seek("b")
	m.Delete("b")
	m.Set("bb", 22)
	fmt.Println(it.Key(), it.Value(), it.Next(), it.Key())
	// Output: b 0 true bb
}

func ExampleIter_Value() {
	m := some()
	defer m.Close()
	it := m.Iter()
	it.Seek("b")
	m.Set("b", 20)
	fmt.Println(it.Value())
	// Output: 20
}

func ExampleIter_SetValue() {
	m := some()
	defer m.Close()
	for it := m.Iter(); it.Next(); {
		it.SetValue(10 * it.Value())
	}
	fmt.Println(m.Get("d"))
	// Output: 30 true
}

func ExampleIter_Delete() {
	m := some()
	defer m.Close()
	for it := m.Iter(); it.Next(); {
		if it.Value()%2 == 0 {
			it.Delete()
		}
	}
	for k, v := range m.All() {
		fmt.Println(k, v)
	}
	// Output:
	// b 1
	// d 3
}
