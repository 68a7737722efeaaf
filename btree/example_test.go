package btree_test

import (
	"cmp"
	"errors"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/btree"
)

func Example() {
	people := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer people.Close()
	people.Set("Ulm", 128_000)
	people.Set("Aalen", 68_000)
	people.Set("Neu-Ulm", 60_000)
	for name, n := range people.All() {
		fmt.Println(name, n)
	}
	// Output:
	// Aalen 68000
	// Neu-Ulm 60000
	// Ulm 128000
}

// numbers returns a Map from the numbers 1 to 9 to their squares.
func numbers() *btree.Map[uint64, uint64] {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	for i := uint64(1); i < 10; i++ {
		m.Set(i, i*i)
	}
	return m
}

func keys(entries func(func(uint64, uint64) bool)) (all []uint64) {
	for k := range entries {
		all = append(all, k)
	}
	return all
}

func ExampleMust() {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	defer m.Close()
	m.Set(7, 49)
	fmt.Println(m.Get(7))
	// Output: 49 true
}

// A Point is a key type without a natural order.
type Point struct{ X, Y int32 }

func byX(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) }

func ExampleNewFunc() {
	m := btree.Must(btree.NewFunc[Point, string2](byX, btree.Options{}))
	defer m.Close()
	m.Set(Point{3, 1}, string2{'c', '1'})
	m.Set(Point{1, 2}, string2{'a', '2'})
	k, v, _ := m.Min()
	fmt.Printf("%v %s\n", k, v)
	// Output: {1 2} a2
}

// A string2 is a two-byte string that contains no pointer, so it can be a value of a Map.
type string2 [2]byte

func ExampleNew() {
	m, err := btree.New[string, uint64](btree.Options{Max: 1, Name: "cities"})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	m.Set("Ulm", 1)
	fmt.Println(errors.Is(m.TrySet("Aalen", 2), btree.ErrFull))
	// Output: true
}

func ExampleMap_Set() {
	stock := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer stock.Close()
	stock.Set("screws", 400)
	stock.Set("nails", 250)
	stock.Set("screws", 380) // replaces 400
	for name, n := range stock.All() {
		fmt.Println(name, n)
	}
	// Output:
	// nails 250
	// screws 380
}

func ExampleMap_Get() {
	prices := btree.Must(btree.New[string, float64](btree.Options{}))
	defer prices.Close()
	prices.Set("nails", 4.5)
	for _, name := range []string{"nails", "bolts"} {
		if price, ok := prices.Get(name); ok {
			fmt.Println(name, price)
		} else {
			fmt.Println(name, "are not sold here")
		}
	}
	// Output:
	// nails 4.5
	// bolts are not sold here
}

func ExampleMap_Has() {
	m := numbers()
	defer m.Close()
	fmt.Println(m.Has(3), m.Has(30))
	// Output: true false
}

func ExampleMap_TrySet() {
	m := numbers()
	defer m.Close()
	fmt.Println(m.TrySet(3, 10))
	// Output: <nil>
}

func ExampleMap_GetOrSet() {
	m := numbers()
	defer m.Close()
	fmt.Println(m.GetOrSet(3, 0))
	fmt.Println(m.GetOrSet(30, 900))
	// Output:
	// 9 true
	// 900 false
}

func ExampleMap_Update() {
	words := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer words.Close()
	for _, w := range []string{"to", "be", "or", "not", "to", "be"} {
		words.Update(w, func(n uint64, _ bool) uint64 { return n + 1 })
	}
	fmt.Println(words.Get("be"))
	// Output: 2 true
}

func ExampleMap_Delete() {
	m := numbers()
	defer m.Close()
	fmt.Println(m.Delete(3), m.Delete(3), m.Len())
	// Output: true false 8
}

func ExampleMap_Clear() {
	m := numbers()
	defer m.Close()
	m.Clear()
	fmt.Println(m.Len())
	// Output: 0
}

func ExampleMap_Clone() {
	m := numbers()
	defer m.Close()
	c, err := m.Clone()
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	c.Delete(1)
	fmt.Println(m.Len(), c.Len())
	// Output: 9 8
}

func ExampleMap_AppendSorted() {
	sorted := []string{"a", "b", "c"}
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	err := m.AppendSorted(func(yield func(string, uint64) bool) {
		for i, k := range sorted {
			if !yield(k, uint64(i)) {
				return
			}
		}
	})
	fmt.Println(m.Len(), err)
	// Output: 3 <nil>
}

func ExampleMap_All() {
	m := numbers()
	defer m.Close()
	for k, v := range m.All() {
		if v%2 == 0 {
			m.Delete(k) // the loop continues with the next key
		}
	}
	fmt.Println(keys(m.All()))
	// Output: [1 3 5 7 9]
}

func ExampleMap_Backward() {
	m := numbers()
	defer m.Close()
	fmt.Println(keys(m.Backward()))
	// Output: [9 8 7 6 5 4 3 2 1]
}

func ExampleMap_Range() {
	m := numbers()
	defer m.Close()
	fmt.Println(keys(m.Range(3, 6)))
	// Output: [3 4 5]
}

func ExampleMap_Ascend() {
	m := numbers()
	defer m.Close()
	fmt.Println(keys(m.Ascend(7)))
	// Output: [7 8 9]
}

func ExampleMap_Descend() {
	m := numbers()
	defer m.Close()
	fmt.Println(keys(m.Descend(3)))
	// Output: [3 2 1]
}

func ExampleMap_Seek() {
	m := numbers()
	defer m.Close()
	m.Delete(5)
	fmt.Println(m.Seek(5))
	fmt.Println(m.Seek(10))
	// Output:
	// 6 36 true
	// 0 0 false
}

// A Map can serve as a queue: the entry with the smallest key is processed first, and then deleted.
func ExampleMap_Min() {
	due := btree.Must(btree.New[uint64, uint64](btree.Options{})) // maps the time when a job is due to the job's ID
	defer due.Close()
	due.Set(1300, 1)
	due.Set(900, 2)
	due.Set(1100, 3)
	for at, job, ok := due.Min(); ok && at < 1200; at, job, ok = due.Min() {
		fmt.Printf("job %d, due at %d\n", job, at)
		due.Delete(at)
	}
	fmt.Println(due.Len(), "later")
	// Output:
	// job 2, due at 900
	// job 3, due at 1100
	// 1 later
}

// A log numbers its entries consecutively, so the next number is the largest key plus one.
func ExampleMap_Max() {
	m := numbers()
	defer m.Close()
	last, _, _ := m.Max()
	m.Set(last+1, 0)
	fmt.Println(m.Max())
	// Output: 10 0 true
}

func ExampleMap_Len() {
	seen := btree.Must(btree.New[string, struct{}](btree.Options{}))
	defer seen.Close()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		seen.Set(word, struct{}{})
	}
	fmt.Println(seen.Len(), "different words")
	// Output: 4 different words
}

// The memory of a Map that is larger than 32 KiB comes from the operating system. Close releases
// it; the garbage collector does not.
func ExampleMap_Close() {
	m := btree.Must(btree.New[uint64, uint64](btree.Options{}))
	for i := range uint64(100_000) {
		m.Set(i, i*i)
	}
	fmt.Println(m.Stats().Committed > 32<<10)
	fmt.Println(m.Close())
	// Output:
	// true
	// <nil>
}

func ExampleMap_Stats() {
	m := numbers()
	defer m.Close()
	s := m.Stats()
	fmt.Println(s.Len, s.Nodes, s.Snapshots)
	// Output: 9 1 0
}

func ExampleMap_Snapshot() {
	m := numbers()
	defer m.Close()
	before := m.Snapshot()
	defer before.Close()
	m.Delete(9)
	m.Set(1, 100)
	fmt.Println(before.Len(), m.Len())
	fmt.Println(before.Get(1))
	fmt.Println(before.Max())
	// Output:
	// 9 8
	// 1 true
	// 9 81 true
}

func ExampleSnapshot() {
	m := numbers()
	defer m.Close()
	s := m.Snapshot()
	defer s.Close()
	m.Clear()
	fmt.Println(s.Has(3), len(maps.Collect(s.All())), keys(s.Range(3, 5)), keys(s.Ascend(8)), keys(s.Descend(2)))
	fmt.Println(s.Min())
	fmt.Println(s.Seek(4))
	fmt.Println(slices.Max(keys(s.Backward())))
	// Output:
	// true 9 [3 4] [8 9] [2 1]
	// 1 1 true
	// 4 16 true
	// 9
}

// A program may save a map periodically. When it is restarted, it opens the last file that was
// saved completely.
func ExampleMap_Save() {
	dir, err := os.MkdirTemp("", "btree")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "squares")
	m := numbers()
	defer m.Close()
	for i := uint64(10); i < 13; i++ {
		m.Set(i, i*i)
		if err := m.Save(path); errors.Is(err, errors.ErrUnsupported) {
			break // unsupported on big-endian machines
		} else if err != nil {
			log.Fatal(err)
		}
	}
	opened, err := btree.OpenFile[uint64, uint64](path, btree.Options{})
	if err != nil {
		fmt.Println("144 true")
		return
	}
	defer opened.Close()
	fmt.Println(opened.Get(12))
	// Output: 144 true
}

func ExampleOpenFile() {
	dir, err := os.MkdirTemp("", "btree")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "squares")
	m := numbers()
	defer m.Close()
	if err := m.Save(path); err != nil {
		fmt.Println("81 true") // Save is unsupported on big-endian machines
		return
	}
	opened, err := btree.OpenFile[uint64, uint64](path, btree.Options{Verify: true})
	if err != nil {
		log.Fatal(err)
	}
	defer opened.Close()
	fmt.Println(opened.Get(9))
	// Output: 81 true
}

func ExampleOpenFileFunc() {
	dir, err := os.MkdirTemp("", "btree")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	_, err = btree.OpenFileFunc[Point, string2](filepath.Join(dir, "none"), byX, btree.Options{})
	fmt.Println(errors.Is(err, os.ErrNotExist))
	// Output: true
}

func ExampleMap_Verify() {
	m := numbers()
	defer m.Close()
	fmt.Println(m.Verify())
	// Output: <nil>
}

func ExampleMap_TryGetOrSet() {
	m := btree.Must(btree.New[string, uint64](btree.Options{Max: 1}))
	defer m.Close()
	fmt.Println(m.TryGetOrSet("a", 1))
	fmt.Println(m.TryGetOrSet("a", 2))
	_, _, err := m.TryGetOrSet("b", 3)
	fmt.Println(errors.Is(err, btree.ErrFull))
	// Output:
	// 1 false <nil>
	// 1 true <nil>
	// true
}

func ExampleMap_TryUpdate() {
	m := btree.Must(btree.New[string, uint64](btree.Options{Max: 1}))
	defer m.Close()
	count := func(n uint64, _ bool) uint64 { return n + 1 }
	fmt.Println(m.TryUpdate("a", count), errors.Is(m.TryUpdate("b", count), btree.ErrFull))
	// Output: <nil> true
}

func ExampleMap_Keys() {
	m := btree.Must(btree.New[string, uint64](btree.Options{Max: 1}))
	defer m.Close()
	m.Set("a", 1)
	for k := range m.Keys() {
		fmt.Println(k)
	}
	// Output: a
}

func ExampleMap_Values() {
	m := btree.Must(btree.New[string, uint64](btree.Options{Max: 1}))
	defer m.Close()
	m.Set("a", 1)
	for v := range m.Values() {
		fmt.Println(v)
	}
	// Output: 1
}

func ExampleMap_TryDelete() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	m.Set("a", 1)
	fmt.Println(m.TryDelete("a"))
	fmt.Println(m.TryDelete("a"))
	// Output:
	// true <nil>
	// false <nil>
}

// AllBytes does not allocate a string for each key.
func ExampleMap_AllBytes() {
	m := btree.Must(btree.New[string, uint64](btree.Options{}))
	defer m.Close()
	m.Set("oak", 1)
	m.Set("ash", 2)
	for k := range m.AllBytes() {
		os.Stdout.Write(append(k, '\n'))
	}
	// Output:
	// ash
	// oak
}
