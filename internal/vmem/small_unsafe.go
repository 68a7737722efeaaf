package vmem

import "unsafe"

// smallPointer is where a region begins that has no addresses yet.
func (r *Region) smallPointer() unsafe.Pointer {
	// Safety: whoever keeps the pointer keeps the slice alive. TestSmallRegions.
	return unsafe.Pointer(unsafe.SliceData(r.small))
}

// smallBytes is its memory.
func (r *Region) smallBytes() []byte {
	// Safety: these are the bytes of the slice. TestSmallRegions.
	return unsafe.Slice((*byte)(r.smallPointer()), 8*len(r.small))
}
