// Package records has what rule recordpointers must report.
package records

import "github.com/coppice-go/coppice/store"

type city struct {
	id   int
	name string
}

type list struct {
	value int
	next  *list
}

type nested struct {
	rows [2]struct{ cells []int }
}

type empty struct{}

type cities = city

func calls() {
	_, _ = store.New[city](store.Options{})          // want `store.New: records.city.name is a string, a pointer that the collector would not see; use a store.Text, or an array of bytes`
	_, _ = store.New[list](store.Options{})          // want `store.New: records.list.next is a \*records.list, .*; use a store.Ref`
	_, _ = store.NewHandles[nested](store.Options{}) // want `store.NewHandles: records.nested.rows\[0\].cells is a \[\]int, .*; use an array`
	_, _ = store.New[error](store.Options{})         // want `error is a error, .* keep such values in a slice of your own`
	_, _ = store.New[map[int]int](store.Options{})   // want `is a map\[int\]int`
	_, _ = store.New[func()](store.Options{})        // want `is a func\(\)`
	_, _ = store.New[chan int](store.Options{})      // want `is a chan int`
	_, _ = store.New[empty](store.Options{})         // want `store.New: records.empty has no size, so there is nothing to store`
	_, _ = store.New[cities](store.Options{})        // want `is a string`
}

type index struct {
	words *store.Store[[3]string] // want `store.New: \[3\]string\[0\] is a string`
	again *store.Store[[3]string]
	known *store.Store[city] // reported where it is made
}

func generic[T any]() {
	_, _ = store.New[struct { // want `\.next is a \*T`
		value T
		next  *T
	}](store.Options{})
}

var _ *store.Handles[any] // want `store.NewHandles: any is a any`
