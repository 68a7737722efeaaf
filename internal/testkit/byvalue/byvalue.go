// Package byvalue copies containers by value. This is a mistake, which vet reports; tests use this
// package to make the mistake and check that it is detected.
package byvalue

import "reflect"

// Copy returns a pointer to a copy of *of.
func Copy[T any](of *T) *T {
	c := new(T)
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(of).Elem())
	return c
}
