package hashmap_test

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/hashmap"
)

// An Indexed replaces a map[string]*Page.
func ExampleIndexed() {
	type Page struct {
		Title string
		Reads int
	}
	pages := hashmap.Must(hashmap.NewIndexed[string, *Page](hashmap.Options{}))
	defer pages.Close()
	pages.Set("/oak", &Page{Title: "Oak"})
	if p, ok := pages.Get("/oak"); ok {
		p.Reads++
	}
	for path, p := range pages.All() {
		fmt.Println(path, p.Title, p.Reads)
	}
	fmt.Println(pages.Delete("/oak"), pages.Len())
	// Output:
	// /oak Oak 1
	// true 0
}

// names returns an Indexed for the examples.
func names() *hashmap.Indexed[uint32, string] {
	m := hashmap.Must(hashmap.NewIndexed[uint32, string](hashmap.Options{Max: 3}))
	m.Set(1, "oak")
	m.Set(2, "ash")
	return m
}

func ExampleNewIndexed() {
	_, err := hashmap.NewIndexed[*int, string](hashmap.Options{})
	fmt.Println(err != nil)
	// Output: true
}

func ExampleIndexed_Get() {
	m := names()
	defer m.Close()
	fmt.Println(m.Get(1))
	// Output: oak true
}

// Ptr changes a value in place, with a single look-up.
func ExampleIndexed_Ptr() {
	m := hashmap.Must(hashmap.NewIndexed[string, []int](hashmap.Options{}))
	defer m.Close()
	for i, word := range []string{"oak", "ash", "oak"} {
		if lines := m.Ptr(word); lines != nil {
			*lines = append(*lines, i)
		} else {
			m.Set(word, []int{i})
		}
	}
	fmt.Println(m.Get("oak"))
	// Output: [0 2] true
}

func ExampleIndexed_Has() {
	m := names()
	defer m.Close()
	fmt.Println(m.Has(1), m.Has(7))
	// Output: true false
}

func ExampleIndexed_Set() {
	m := names()
	defer m.Close()
	m.Set(1, "elm")
	fmt.Println(m.Get(1))
	// Output: elm true
}

func ExampleIndexed_TrySet() {
	m := names()
	defer m.Close()
	fmt.Println(m.TrySet(3, "elm"), errors.Is(m.TrySet(4, "fir"), hashmap.ErrFull))
	// Output: <nil> true
}

func ExampleIndexed_GetOrSet() {
	m := names()
	defer m.Close()
	fmt.Println(m.GetOrSet(1, "elm"))
	// Output: oak true
}

func ExampleIndexed_Update() {
	m := names()
	defer m.Close()
	m.Update(1, func(name string, ok bool) string { return name + "s" })
	fmt.Println(m.Get(1))
	// Output: oaks true
}

func ExampleIndexed_Delete() {
	m := names()
	defer m.Close()
	fmt.Println(m.Delete(1), m.Delete(1))
	// Output: true false
}

func ExampleIndexed_All() {
	m := names()
	defer m.Close()
	sum := 0
	for k, name := range m.All() {
		sum += int(k) + len(name)
	}
	fmt.Println(sum)
	// Output: 9
}

func ExampleIndexed_AllBytes() {
	m := hashmap.Must(hashmap.NewIndexed[string, any](hashmap.Options{}))
	defer m.Close()
	m.Set("oak", 7)
	for k, v := range m.AllBytes() {
		fmt.Printf("%s %v\n", k, v)
	}
	// Output: oak 7
}

func ExampleIndexed_Keys() {
	m := names()
	defer m.Close()
	fmt.Println(slices.Sorted(m.Keys()))
	// Output: [1 2]
}

func ExampleIndexed_Values() {
	m := names()
	defer m.Close()
	fmt.Println(slices.Sorted(m.Values()))
	// Output: [ash oak]
}

func ExampleIndexed_Len() {
	m := names()
	defer m.Close()
	fmt.Println(m.Len())
	// Output: 2
}

func ExampleIndexed_Clear() {
	m := names()
	defer m.Close()
	m.Clear()
	fmt.Println(m.Len())
	// Output: 0
}

func ExampleIndexed_Close() {
	fmt.Println(names().Close())
	// Output: <nil>
}

func ExampleIndexed_Clone() {
	m := names()
	defer m.Close()
	c := hashmap.Must(m.Clone())
	defer c.Close()
	c.Set(1, "elm")
	fmt.Println(m.Get(1))
	// Output: oak true
}

func ExampleIndexed_Reserve() {
	m := names()
	defer m.Close()
	fmt.Println(m.Reserve(3), m.Reserve(4))
	// Output: <nil> hashmap.Indexed.Reserve: the map is full: 4 entries, but Options.Max is 3
}

func ExampleIndexed_Stats() {
	m := names()
	defer m.Close()
	s := m.Stats()
	fmt.Println(s.Len, s.ValueSlots, s.ValueBytes >= 8*8)
	// Output: 2 8 true
}
