package btree

import "unsafe"

// addressOf returns the address of words that a test uses as the memory of a tree. They stay valid
// as long as the test holds the address.
func addressOf(b []uint64) address { return unsafe.Pointer(unsafe.SliceData(b)) }
