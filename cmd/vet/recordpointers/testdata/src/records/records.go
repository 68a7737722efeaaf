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
	_, _ = store.Open[city](store.Options{})          // want `store.Open: records.city.name is a string, a pointer that the collector would not see; use a store.Text, or an array of bytes`
	_, _ = store.Open[list](store.Options{})          // want `store.Open: records.list.next is a \*records.list, .*; use a store.Ref`
	_, _ = store.OpenHandles[nested](store.Options{}) // want `store.OpenHandles: records.nested.rows\[0\].cells is a \[\]int, .*; use an array`
	_, _ = store.Open[error](store.Options{})         // want `error is a error, .* keep such values in a slice of your own`
	_, _ = store.Open[map[int]int](store.Options{})   // want `is a map\[int\]int`
	_, _ = store.Open[func()](store.Options{})        // want `is a func\(\)`
	_, _ = store.Open[chan int](store.Options{})      // want `is a chan int`
	_, _ = store.Open[empty](store.Options{})         // want `store.Open: records.empty has no size, so there is nothing to store`
	_, _ = store.Open[cities](store.Options{})        // want `is a string`
}

type index struct {
	words *store.Store[[3]string] // want `store.Open: \[3\]string\[0\] is a string`
	again *store.Store[[3]string]
	known *store.Store[city] // reported where it is made
}

func generic[T any]() {
	_, _ = store.Open[struct { // want `\.next is a \*T`
		value T
		next  *T
	}](store.Options{})
}

var _ *store.Handles[any] // want `store.OpenHandles: any is a any`
