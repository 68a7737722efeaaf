// Package byvalue makes the mistake of copying a container by value, which a test may want to make
// and vet does not let it.
package byvalue

import "reflect"

// Copy returns a copy of what a pointer leads to.
func Copy[T any](of *T) *T {
	c := new(T)
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(of).Elem())
	return c
}
