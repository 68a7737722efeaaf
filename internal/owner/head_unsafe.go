package owner

import "unsafe"

// A Head is the start of a slab. It contains the fields that an arena needs to take a value of any
// type from the slab. Free is the address of the first free slot; the last free slot is taken
// first.
type Head struct {
	Left     uint           // number of free slots
	Free     unsafe.Pointer // the first of them
	_, _     int            // the length and the capacity of the slice of free slots
	SlotSize uintptr        // size of a slot in bytes
}

// Take returns a zeroed slot. There must be a free one.
func (h *Head) Take() unsafe.Pointer {
	h.Left--
	// Safety: Free is the start of a chunk of at least Left+1 slots of that size, so the slot is
	// inside it. TestHeadOfSlab of package slab.
	return unsafe.Add(h.Free, uintptr(h.Left)*h.SlotSize)
}
