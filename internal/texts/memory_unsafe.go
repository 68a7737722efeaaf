package texts

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// bytesOf returns the region as bytes, committed or not.
func bytesOf(r *vmem.Region) []byte {
	// Safety: the region has so many bytes of addresses, which stay reserved, or of memory of the
	// Go heap. Bytes that are not memory fault; a Heap touches only the first used. TestHostile,
	// TestHeapAgainstModel.
	return unsafe.Slice((*byte)(r.Pointer()), r.Reach())
}
