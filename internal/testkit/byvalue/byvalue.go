// Package byvalue copies a container by value, a mistake that a test may need to make and that vet
// does not allow.
package byvalue

import "reflect"

// Copy returns a copy of the target of a pointer.
func Copy[T any](of *T) *T {
	c := new(T)
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(of).Elem())
	return c
}
