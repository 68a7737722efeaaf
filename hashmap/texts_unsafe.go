package hashmap

import "unsafe"

// stringAt returns the string at an offset of a key.
func stringAt[K any](k *K, offset uintptr) *string {
	// Safety: the plan of K has a field of string kind there. TestTextsKeys.
	return (*string)(unsafe.Add(unsafe.Pointer(k), offset))
}

// plainAt returns pointer-free bytes of a key.
func plainAt[K any](k *K, offset, size uintptr) []byte {
	// Safety: the plan of K has integers or a bool there; the bytes are used only while k is alive.
	// TestTextsKeys.
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(k), offset)), size)
}

// bytesOfString converts a string to bytes, which must not be written.
func bytesOfString(s string) []byte {
	// Safety: callers copy from it. TestTextsAgainstModel.
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// sliceOf converts a value of byte slice kind to a []byte.
func sliceOf[V any](v *V) []byte {
	// Safety: the caller has checked that V is of slice kind. TestTextsAgainstModel, with named
	// types.
	return *(*[]byte)(unsafe.Pointer(v))
}
