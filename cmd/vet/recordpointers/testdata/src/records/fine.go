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
	_, _ = store.New[node](store.Options{})
	_, _ = store.NewHandles[node](store.Options{})
	_, _ = store.New[int](store.Options{})
	_, _ = store.New[store.Ref[city]](store.Options{}) // a ref of a store that cannot be is not this one
	_, _ = store.New[store.Handle[node]](store.Options{})
	_, _ = store.New[complex128](store.Options{})
	_, _ = store.New[[8]byte](store.Options{})
	//coppice:ignore recordpointers it shows the refusal
	_, _ = store.New[*int](store.Options{})
}

func genericFine[T any]() (*store.Store[T], error) {
	_, _ = store.New[struct{ value [2]T }](store.Options{})
	return store.New[T](store.Options{})
}

type other[T any] struct{ value T }

func New[T any]() {}

func notOurs() {
	New[string]()
	_ = other[string]{}
}
