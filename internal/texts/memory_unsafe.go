package texts

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// bytesOf returns the address space of a region as a slice, including bytes that are not committed.
func bytesOf(r *vmem.Region) []byte {
	// Safety: the region has that many bytes of address space, which stay reserved, or of memory on
	// the Go heap. Bytes that are not committed fault; a Heap touches only its used bytes, which
	// are committed. TestHostile, TestHeapAgainstModel.
	return unsafe.Slice((*byte)(r.Pointer()), r.Reach())
}
