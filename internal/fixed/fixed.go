// Package fixed checks that values of a type consist only of bytes of a fixed size, so that they
// may be stored in memory that the collector does not scan.
package fixed

import (
	"fmt"
	"reflect"
)

// Advice contains the alternatives that error messages suggest for each kind of type that contains
// a pointer.
type Advice struct{ String, Pointer, Slice, Other string }

// Contained is the advice for containers whose values are copied in and out.
var Contained = Advice{
	String:  "use an array of bytes, or a number that names the string elsewhere, as symbols.Table does",
	Pointer: "use a number that names the value elsewhere, such as a store.Ref",
	Slice:   "use an array, or a store.Ref and a count",
	Other:   "keep such values in a slice of your own and their index here",
}

// Check returns an error if values of type t contain a pointer. The error begins with where, the
// name of the caller, and contains the path of the field and an alternative.
func Check(where string, t reflect.Type, advice Advice) error {
	if path, found, instead := advice.FindPointer(t, t.String()); found != nil {
		return fmt.Errorf("%s: %s is a %s, a pointer that the collector would not see; %s", where, path, found, instead)
	}
	return nil
}

// FindPointer finds the first pointer in values of type t. It returns the path of the pointer, its
// type, and an alternative to it. The returned type is nil if t contains no pointer.
func (a Advice) FindPointer(t reflect.Type, path string) (string, reflect.Type, string) {
	switch t.Kind() {
	case reflect.Array:
		if t.Len() == 0 {
			return "", nil, ""
		}
		return a.FindPointer(t.Elem(), path+"[0]")
	case reflect.Struct:
		for field := range t.Fields() {
			if p, found, advice := a.FindPointer(field.Type, path+"."+field.Name); found != nil {
				return p, found, advice
			}
		}
		return "", nil, ""
	case reflect.String:
		return path, t, a.String
	case reflect.Pointer:
		return path, t, a.Pointer
	case reflect.Slice:
		return path, t, a.Slice
	case reflect.Map, reflect.Chan, reflect.Func, reflect.Interface, reflect.UnsafePointer:
		return path, t, a.Other
	default:
		return "", nil, ""
	}
}
