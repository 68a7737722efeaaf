package vmem

import "unsafe"

// smallPointer returns the start of a region that has no address space.
func (r *Region) smallPointer() unsafe.Pointer {
	// Safety: a pointer into the slice keeps it alive. TestSmallRegions.
	return unsafe.Pointer(unsafe.SliceData(r.small))
}

// smallBytes returns the memory of a region that has no address space.
func (r *Region) smallBytes() []byte {
	// Safety: these are the bytes of the slice. TestSmallRegions.
	return unsafe.Slice((*byte)(r.smallPointer()), 8*len(r.small))
}
