package store_test

import (
	"fmt"
	"log"

	"github.com/coppice-go/coppice/store"
)

// sessions returns a Handles for an example.
func sessions() *store.Handles[City] {
	h, err := store.NewHandles[City](store.Options{Max: 1000})
	if err != nil {
		log.Fatal(err)
	}
	return h
}

// A handle may safely outlive its record.
func ExampleNewHandles() {
	h := sessions()
	defer h.Close()
	a := h.Alloc(City{People: 1})
	h.Delete(a)
	b := h.Alloc(City{People: 2}) // in the same slot
	_, aLives := h.Get(a)
	_, bLives := h.Get(b)
	fmt.Println(aLives, bLives)
	// Output: false true
}

func ExampleHandle_String() {
	fmt.Println(store.Handle[City](0x2a), store.Handle[City](0))
	// Output: h2a nil
}

func ExampleHandles_Alloc() {
	h := sessions()
	defer h.Close()
	a := h.Alloc(City{People: 7})
	city, _ := h.Get(a)
	fmt.Println(city.People)
	// Output: 7
}

func ExampleHandles_New() {
	h := sessions()
	defer h.Close()
	a, city := h.New()
	city.People = 7
	again, _ := h.Get(a)
	fmt.Println(again.People)
	// Output: 7
}

func ExampleHandles_Get() {
	h := sessions()
	defer h.Close()
	_, ok := h.Get(0)
	fmt.Println(ok)
	// Output: false
}

func ExampleHandles_Delete() {
	h := sessions()
	defer h.Close()
	a := h.Alloc(City{})
	fmt.Println(h.Delete(a), h.Delete(a))
	// Output: true false
}

func ExampleHandles_Len() {
	h := sessions()
	defer h.Close()
	h.Alloc(City{})
	fmt.Println(h.Len())
	// Output: 1
}

func ExampleHandles_All() {
	h := sessions()
	defer h.Close()
	for i := range 3 {
		h.Alloc(City{People: i})
	}
	for handle, city := range h.All() {
		if city.People == 1 {
			h.Delete(handle)
		}
	}
	fmt.Println(h.Len())
	// Output: 2
}

func ExampleHandles_Reset() {
	h := sessions()
	defer h.Close()
	a := h.Alloc(City{})
	h.Reset()
	h.Alloc(City{}) // in the same slot
	_, ok := h.Get(a)
	fmt.Println(ok)
	// Output: false
}

func ExampleHandles_Close() {
	h := sessions()
	a := h.Alloc(City{})
	fmt.Println(h.Close())
	_, ok := h.Get(a)
	fmt.Println(ok)
	// Output:
	// <nil>
	// false
}

func ExampleHandles_TryAlloc() {
	h := store.Must(store.NewHandles[int64](store.Options{Max: 1}))
	defer h.Close()
	_, err := h.TryAlloc(1)
	fmt.Println(err)
	_, err = h.TryAlloc(2)
	fmt.Println(err)
	// Output:
	// <nil>
	// store.Handles.TryAlloc: the store is full: it holds 1 records, and the maximum is 1
}

func ExampleHandles_Cap() {
	h := store.Must(store.NewHandles[int64](store.Options{}))
	defer h.Close()
	h.Alloc(1)
	fmt.Println(h.Cap() >= 1)
	// Output: true
}

func ExampleHandles_Max() {
	h := store.Must(store.NewHandles[int64](store.Options{Max: 100}))
	defer h.Close()
	fmt.Println(h.Max())
	// Output: 100
}
