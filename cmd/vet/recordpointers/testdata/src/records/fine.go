package records

import "github.com/coppice-go/coppice/store"

type node struct {
	left, right store.Ref[node]
	name        store.Text
	weights     [4]float64
	none        [0]*int
	address     uintptr
	flags       struct{ a, b bool }
}

func fine() {
	_, _ = store.Open[node](store.Options{})
	_, _ = store.OpenHandles[node](store.Options{})
	_, _ = store.Open[int](store.Options{})
	_, _ = store.Open[store.Ref[city]](store.Options{}) // a ref of a store that cannot be is not this one
	_, _ = store.Open[store.Handle[node]](store.Options{})
	_, _ = store.Open[complex128](store.Options{})
	_, _ = store.Open[[8]byte](store.Options{})
	//coppice:ignore recordpointers it shows the refusal
	_, _ = store.Open[*int](store.Options{})
}

func genericFine[T any]() (*store.Store[T], error) {
	_, _ = store.Open[struct{ value [2]T }](store.Options{})
	return store.Open[T](store.Options{})
}

type other[T any] struct{ value T }

func New[T any]() {}

func notOurs() {
	New[string]()
	_ = other[string]{}
}
