package owner

import "unsafe"

// A Head contains the fields of a slab that an arena needs to take a slot from it, whatever the
// type of its values. These fields are consecutive in the slab. Free is the address of the first
// free slot; the last free slot is taken first.
type Head struct {
	Left     uint           // number of free slots
	Free     unsafe.Pointer // the first of them
	_, _     int            // the length and the capacity of the slice of free slots
	SlotSize uintptr        // size of a slot in bytes
}

// Take returns a zeroed slot. It must not be called if no slot is free.
func (h *Head) Take() unsafe.Pointer {
	h.Left--
	// Safety: the memory at Free has at least Left+1 slots of size SlotSize, so the slot is inside
	// it. TestHeadOfSlab of package slab.
	return unsafe.Add(h.Free, uintptr(h.Left)*h.SlotSize)
}
