package btree

import "unsafe"

// addressOf returns the address of b, which a test uses as the memory of a tree. The address keeps
// b alive.
func addressOf(b []uint64) address { return unsafe.Pointer(unsafe.SliceData(b)) }
