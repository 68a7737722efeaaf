// Package byvalue copies a container by value. Such a copy is a mistake, which vet reports, but
// some tests must make it to check that it is detected.
package byvalue

import "reflect"

// Copy returns a copy of the value that of points to.
func Copy[T any](of *T) *T {
	c := new(T)
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(of).Elem())
	return c
}
