package hashmap

import "unsafe"

// stringAt returns the address of the string at the given offset in *k.
func stringAt[K any](k *K, offset uintptr) *string {
	// Safety: according to the plan of K, there is a string at this offset. TestTextsKeys.
	return (*string)(unsafe.Add(unsafe.Pointer(k), offset))
}

// plainAt returns the size bytes at the given offset in *k, which must not contain pointers.
func plainAt[K any](k *K, offset, size uintptr) []byte {
	// Safety: according to the plan of K, there are integers or bools at this offset. The bytes are
	// used only while k is alive. TestTextsKeys.
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(k), offset)), size)
}
