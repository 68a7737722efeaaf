// Package fixed checks that a type contains no pointers, so that its values may be stored in memory
// that the collector does not scan.
package fixed

import (
	"fmt"
	"reflect"
)

// Advice contains the alternatives that error messages suggest for each kind of type with pointers.
type Advice struct{ String, Pointer, Slice, Other string }

// Contained is the Advice for containers that copy values when they are stored and when they are
// read.
var Contained = Advice{
	String:  "use an array of bytes, or a number that names the string elsewhere, as symbols.Table does",
	Pointer: "use a number that names the value elsewhere, such as a store.Ref",
	Slice:   "use an array, or a store.Ref and a count",
	Other:   "keep such values in a slice of your own and their index here",
}

// Check returns an error if values of type t contain a pointer. The error contains the path of the
// field with the pointer and suggests an alternative. It begins with the caller's name, which is
// passed in where.
func Check(where string, t reflect.Type, advice Advice) error {
	if path, found, instead := advice.FindPointer(t, t.String()); found != nil {
		return fmt.Errorf("%s: %s is a %s, a pointer that the collector would not see; %s", where, path, found, instead)
	}
	return nil
}

// FindPointer finds the first pointer in values of type t. It returns the path of the pointer, its
// type, and an alternative to that type. The returned type is nil if t contains no pointers. path
// is the path of the value itself.
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
