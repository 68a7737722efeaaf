// Package varlen accesses values of string and byte slice kind as bytes, for containers that copy
// these bytes into their own memory.
package varlen

import "reflect"

// A Form records whether V is of string or byte slice kind. FormOf returns the Form of a type.
type Form[V ~string | ~[]byte] struct {
	slices bool
}

// FormOf returns the Form of V.
func FormOf[V ~string | ~[]byte]() Form[V] {
	return Form[V]{slices: reflect.TypeFor[V]().Kind() == reflect.Slice}
}

// Bytes returns the bytes of a value without copying them. They must not be written, and are valid
// as long as the value is.
func (f *Form[V]) Bytes(v *V) []byte {
	if f.slices {
		return sliceOf(v)
	}
	return bytesOf(v)
}

// Value returns a copy of b as a value, which costs one allocation unless b is empty. The value is
// never nil.
func (f *Form[V]) Value(b []byte) V {
	if f.slices {
		return V(append(make([]byte, 0, len(b)), b...))
	}
	return V(string(b))
}
