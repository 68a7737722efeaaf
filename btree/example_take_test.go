package btree_test

import (
	"fmt"

	"github.com/coppice-go/coppice/btree"
)

// some returns a Map that contains the letters from a to e.
func some() *btree.Map[string, uint64] {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	for i, k := range []string{"a", "b", "c", "d", "e"} {
		m.Set(k, uint64(i))
	}
	return m
}

// A Map can serve as a queue of jobs that is ordered by time. PopMin removes the earliest job.
func ExampleMap_PopMin() {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	defer m.Close()
	m.Set(1700, 2)
	m.Set(1200, 1)
	for at, job, ok := m.PopMin(); ok; at, job, ok = m.PopMin() {
		fmt.Println(at, job)
	}
	// Output:
	// 1200 1
	// 1700 2
}

func ExampleMap_PopMax() {
	m := some()
	defer m.Close()
	fmt.Println(m.PopMax())
	// Output: e 4 true
}

func ExampleMap_LoadAndDelete() {
	m := some()
	defer m.Close()
	fmt.Println(m.LoadAndDelete("b"))
	fmt.Println(m.LoadAndDelete("b"))
	// Output:
	// 1 true
	// 0 false
}

func ExampleMap_DeleteRange() {
	m := some()
	defer m.Close()
	fmt.Println(m.DeleteRange("b", "d"), m.Len())
	// Output: 2 3
}

func ExampleMap_TryDeleteRange() {
	m := some()
	defer m.Close()
	fmt.Println(m.TryDeleteRange("b", "d"))
	// Output: 2 <nil>
}

// This example decrements a counter, and deletes its key when the counter reaches 0.
func ExampleMap_Compute() {
	m := some()
	defer m.Close()
	release := func(count uint64, _ bool) (uint64, btree.ComputeOp) {
		if count <= 1 {
			return 0, btree.DeleteOp
		}
		return count - 1, btree.UpdateOp
	}
	fmt.Println(m.Compute("c", release))
	fmt.Println(m.Compute("c", release))
	// Output:
	// 1 true
	// 0 false
}

func ExampleMap_TryCompute() {
	m := btree.Must(btree.New[string, uint64](btree.Options{Max: 1}))
	defer m.Close()
	one := func(uint64, bool) (uint64, btree.ComputeOp) { return 1, btree.UpdateOp }
	fmt.Println(m.TryCompute("a", one))
	_, _, err := m.TryCompute("b", one)
	fmt.Println(err)
	// Output:
	// 1 true <nil>
	// btree.Map.TryCompute: the map is full: it holds 1 entries, as many as Options.Max allows
}
