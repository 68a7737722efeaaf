package hashmap

import "unsafe"

// stringAt returns the string at an offset of a key.
func stringAt[K any](k *K, offset uintptr) *string {
	// Safety: the plan of K has a field of string kind there. TestTextsKeys.
	return (*string)(unsafe.Add(unsafe.Pointer(k), offset))
}

// plainAt returns size bytes of a key at an offset. The bytes must not contain pointers.
func plainAt[K any](k *K, offset, size uintptr) []byte {
	// Safety: the plan of K has integers or a bool there; the bytes are used only while k is alive.
	// TestTextsKeys.
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(k), offset)), size)
}
