package btree

import "unsafe"

// addressOf is where words lie that a test takes for the memory of a tree. They stay there as long
// as the test has the address.
func addressOf(b []uint64) address { return unsafe.Pointer(unsafe.SliceData(b)) }
