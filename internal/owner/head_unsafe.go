package owner

import "unsafe"

// A Head is the start of a slab: what an arena needs to take a value from it, whatever its type is.
// Free is the first of the slots that are free, and the last of them goes first.
type Head struct {
	Left     uint           // slots that are free
	Free     unsafe.Pointer // the first of them
	_, _     int            // the length and the capacity of that slice
	SlotSize uintptr        // bytes of a slot
}

// Take returns a zeroed slot, which there must be.
func (h *Head) Take() unsafe.Pointer {
	h.Left--
	// Safety: Free is a chunk of at least Left+1 slots of that size, so the slot lies in it.
	// TestHeadOfSlab of package slab.
	return unsafe.Add(h.Free, uintptr(h.Left)*h.SlotSize)
}
