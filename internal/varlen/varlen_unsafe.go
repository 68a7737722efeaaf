package varlen

import "unsafe"

// sliceOf converts a value of byte slice kind to a []byte, without a copy.
func sliceOf[V any](v *V) []byte {
	// Safety: the kind of V is slice, as the caller has checked. TestForms, with named types.
	return *(*[]byte)(unsafe.Pointer(v))
}

// bytesOf returns the bytes of a value of string kind, without a copy.
func bytesOf[V any](v *V) []byte {
	// Safety: the kind of V is string, as the caller has checked, and callers do not write.
	// TestForms.
	s := *(*string)(unsafe.Pointer(v))
	return unsafe.Slice(unsafe.StringData(s), len(s))
}
