package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"sync"

	"github.com/coppice-go/coppice/store"
)

// A City is a record without pointers, which the collector does not scan. It contains its name as a
// Text of the store, and its neighbor as a Ref.
type City struct {
	Name      store.Text
	People    int
	Neighbour store.Ref[City]
}

// cities returns a store for an example.
func cities() *store.Store[City] {
	s, err := store.New[City](store.Options{Max: 10_000, Name: "cities"})
	if err != nil {
		log.Fatal(err)
	}
	return s
}

func Example() {
	s, err := store.New[City](store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	ulm := s.Alloc(City{Name: s.AllocText("Ulm"), People: 128_000})
	neuUlm := s.Alloc(City{Name: s.AllocText("Neu-Ulm"), People: 60_000, Neighbour: ulm})
	s.At(ulm).Neighbour = neuUlm

	all := s.Slice() // the fast way to read
	for r, city := range s.All() {
		fmt.Println(r, s.Text(city.Name), "is next to", s.Text(all[city.Neighbour].Name))
	}
	// Output:
	// #1 Ulm is next to Neu-Ulm
	// #2 Neu-Ulm is next to Ulm
}

func ExampleNew() {
	_, err := store.New[struct{ name string }](store.Options{}) //coppice:ignore recordpointers the example shows the refusal
	fmt.Println(err)
	// Output: store.New: struct { name string }.name is a string, a pointer that the collector would not see; use a store.Text, or an array of bytes
}

func ExampleMust() {
	s := store.Must(store.New[City](store.Options{})) // New can fail here only because of a mistake in the program
	defer s.Close()
	fmt.Println(s.Len())
	// Output: 0
}

func ExampleRef_String() {
	fmt.Println(store.Ref[City](7), store.Ref[City](0))
	// Output: #7 nil
}

func ExampleStore_Alloc() {
	s := cities()
	defer s.Close()
	fmt.Println(s.Alloc(City{People: 1}), s.Alloc(City{People: 2}))
	// Output: #1 #2
}

func ExampleStore_TryAlloc() {
	s, err := store.New[int64](store.Options{Max: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	s.Alloc(1)
	_, err = s.TryAlloc(2)
	fmt.Println(errors.Is(err, store.ErrFull), err)
	// Output: true store.Store.TryAlloc: the store is full: it holds 1 records, and the maximum is 1
}

func ExampleStore_New() {
	s := cities()
	defer s.Close()
	r, city := s.New()
	city.People = 3 // city stays where it is
	fmt.Println(r, s.At(r).People)
	// Output: #1 3
}

// Make is the fastest way to store many records.
func ExampleStore_Make() {
	s := cities()
	defer s.Close()
	first, made := s.Make(1000)
	for i := range made {
		made[i].People = i
	}
	fmt.Println(first, s.At(first+999).People)
	// Output: #1 999
}

func ExampleStore_At() {
	s := cities()
	defer s.Close()
	r := s.Alloc(City{People: 5})
	s.At(r).People++
	fmt.Println(s.At(r).People)
	// Output: 6
}

func ExampleStore_Slice() {
	s := cities()
	defer s.Close()
	r := s.Alloc(City{People: 5})
	all := s.Slice()
	fmt.Println(all[r].People, len(all)) // element 0 is the nil record
	// Output: 5 2
}

func ExampleStore_Delete() {
	s := cities()
	defer s.Close()
	r := s.Alloc(City{People: 5})
	s.Delete(r)
	fmt.Println(s.Len())
	// Output: 0
}

func ExampleStore_Len() {
	s := cities()
	defer s.Close()
	s.Make(42)
	fmt.Println(s.Len())
	// Output: 42
}

func ExampleStore_Cap() {
	s := cities()
	defer s.Close()
	s.Make(1000)
	fmt.Println(s.Cap() >= 1000)
	// Output: true
}

func ExampleStore_Max() {
	s := cities()
	defer s.Close()
	fmt.Println(s.Max())
	// Output: 10000
}

func ExampleStore_All() {
	s := cities()
	defer s.Close()
	for i := range 4 {
		s.Alloc(City{People: i})
	}
	s.Delete(2)
	for r, city := range s.All() {
		fmt.Print(r, "=", city.People, " ")
	}
	// Output: #1=0 #3=2 #4=3
}

func ExampleStore_Reset() {
	s := cities()
	defer s.Close()
	for range 3 { // three phases in the same memory
		s.Alloc(City{})
		s.Reset()
	}
	fmt.Println(s.Len(), s.Alloc(City{}))
	// Output: 0 #1
}

func ExampleStore_Trim() {
	s := cities()
	defer s.Close()
	s.Make(10_000)
	s.Reset()
	if err := s.Trim(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Cap() < 10_000)
	// Output: true
}

func ExampleStore_Clone() {
	s := cities()
	defer s.Close()
	r := s.Alloc(City{People: 1})
	snapshot, err := s.Clone()
	if err != nil {
		log.Fatal(err)
	}
	defer snapshot.Close()
	s.At(r).People = 2
	fmt.Println(snapshot.At(r).People)
	// Output: 1
}

// A repeated snapshot allocates memory only once.
func ExampleStore_CopyFrom() {
	s, snapshot := cities(), cities()
	defer s.Close()
	defer snapshot.Close()
	r := s.Alloc(City{People: 1})
	for range 3 {
		if err := snapshot.CopyFrom(s); err != nil {
			log.Fatal(err)
		}
		s.At(r).People++
	}
	fmt.Println(snapshot.At(r).People, s.At(r).People)
	// Output: 3 4
}

func ExampleStore_Close() {
	s := cities()
	s.Alloc(City{})
	fmt.Println(s.Close(), s.Close())
	// Output: <nil> <nil>
}

// Each goroutine fills the store with its own Writer.
func ExampleStore_Writer() {
	s := cities()
	defer s.Close()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			w := s.Writer()
			defer w.Close()
			for range 100 {
				w.Alloc(City{People: 1})
			}
		})
	}
	wg.Wait() // from here on, every goroutine may read all records
	people := 0
	for _, city := range s.All() {
		people += city.People
	}
	fmt.Println(s.Len(), people)
	// Output: 400 400
}

func ExampleWriter_Alloc() {
	s := cities()
	defer s.Close()
	w := s.Writer()
	r := w.Alloc(City{People: 9})
	w.Close()
	fmt.Println(s.At(r).People)
	// Output: 9
}

func ExampleWriter_New() {
	s := cities()
	defer s.Close()
	w := s.Writer()
	r, city := w.New()
	city.People = 9
	w.Close()
	fmt.Println(s.At(r).People)
	// Output: 9
}

func ExampleWriter_Make() {
	s := cities()
	defer s.Close()
	w := s.Writer()
	_, made := w.Make(100)
	w.Close()
	fmt.Println(len(made), s.Len())
	// Output: 100 100
}

func ExampleWriter_Close() {
	s := cities()
	defer s.Close()
	w := s.Writer()
	w.Alloc(City{})
	w.Close() // returns the unused rest of its block to the store
	fmt.Println(s.Len())
	// Output: 1
}

func ExampleStore_AllocText() {
	s := cities()
	defer s.Close()
	name := s.AllocText("Ulm")
	fmt.Println(s.Text(name))
	// Output: Ulm
}

func ExampleStore_Text() {
	s := cities()
	defer s.Close()
	fmt.Printf("%q %q\n", s.Text(s.AllocText("Ulm")), s.Text(store.Text{}))
	// Output: "Ulm" ""
}

func ExampleStore_TextBytes() {
	s := cities()
	defer s.Close()
	name := s.AllocText("Ulm")
	fmt.Println(bytes.Equal(s.TextBytes(name), []byte("Ulm")))
	// Output: true
}

func ExampleText_Len() {
	s := cities()
	defer s.Close()
	fmt.Println(s.AllocText("Ulm").Len())
	// Output: 3
}

func ExampleTotals() {
	s := cities()
	defer s.Close()
	for _, t := range store.Totals() {
		if t.Name == "cities" {
			fmt.Println(t.Name, t.Stores, t.Committed > 0)
		}
	}
	// Output: cities 1 true
}

func ExampleWriteProfile() {
	s := cities()
	defer s.Close()
	var file bytes.Buffer // a file, for go tool pprof
	if err := store.WriteProfile(&file); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len() > 0)
	// Output: true
}

func ExampleAdjustMemoryLimit() {
	store.AdjustMemoryLimit(true) // GOMEMLIMIT covers stores from now on
	defer store.AdjustMemoryLimit(false)
}

func ExampleStore_TryAllocText() {
	s := store.Must(store.New[int64](store.Options{}))
	defer s.Close()
	text, err := s.TryAllocText("word")
	fmt.Println(s.Text(text), err)
	// Output: word <nil>
}

func ExampleWriter_TryAlloc() {
	s := store.Must(store.New[int64](store.Options{Max: 1}))
	defer s.Close()
	w := s.Writer()
	defer w.Close()
	fmt.Println(w.TryAlloc(1))
	_, err := w.TryAlloc(2)
	fmt.Println(errors.Is(err, store.ErrFull))
	// Output:
	// #1 <nil>
	// true
}
