package varlen

import "unsafe"

// sliceOf is a value of byte slice kind as one.
func sliceOf[V any](v *V) []byte {
	// Safety: the kind of V is slice, as the caller has checked. TestForms, with named types.
	return *(*[]byte)(unsafe.Pointer(v))
}

// bytesOf is a value of string kind as bytes.
func bytesOf[V any](v *V) []byte {
	// Safety: the kind of V is string, as the caller has checked, and callers do not write.
	// TestForms.
	s := *(*string)(unsafe.Pointer(v))
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
