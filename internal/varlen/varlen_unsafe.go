package varlen

import "unsafe"

// sliceOf is a value of byte slice kind as one.
func sliceOf[V any](v *V) []byte {
	// Safety: V is of slice kind, as the caller knows. TestForms, with named types.
	return *(*[]byte)(unsafe.Pointer(v))
}

// bytesOf is a value of string kind as bytes.
func bytesOf[V any](v *V) []byte {
	// Safety: V is of string kind, as the caller knows, and callers do not write. TestForms.
	s := *(*string)(unsafe.Pointer(v))
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
