package store_test

import (
	"fmt"
	"sync"

	"github.com/coppice-go/coppice/store"
)

// The links of this list are refs, so the garbage collector does not scan its records.
func ExampleStore() {
	s := store.Must(store.New[City](store.Options{}))
	defer s.Close()
	var last store.Ref[City]
	for people := range 3 {
		last = s.Alloc(City{People: people, Neighbour: last})
	}
	for r := last; r != 0; r = s.At(r).Neighbour {
		fmt.Println(r, s.At(r).People)
	}
	// Output:
	// #3 2
	// #2 1
	// #1 0
}

// A handle of a deleted record is detected, even if its slot is reused.
func ExampleHandles() {
	h := store.Must(store.NewHandles[City](store.Options{}))
	defer h.Close()
	ulm := h.Alloc(City{People: 128_000})
	city, ok := h.Get(ulm)
	fmt.Println(city.People, ok)
	h.Delete(ulm)
	_, ok = h.Get(ulm)
	fmt.Println(ok)
	// Output:
	// 128000 true
	// false
}

// Several goroutines fill one store, each with its own Writer.
func ExampleWriter() {
	s := store.Must(store.New[City](store.Options{}))
	defer s.Close()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			w := s.Writer()
			defer w.Close()
			for i := range 100 {
				w.Alloc(City{People: i})
			}
		})
	}
	all.Wait()
	fmt.Println(s.Len())
	// Output: 400
}

// A record contains a Text instead of a string.
func ExampleText() {
	s := cities()
	defer s.Close()
	name := s.AllocText("Ulm")
	fmt.Println(s.Text(name), name.Len())
	// Output: Ulm 3
}
