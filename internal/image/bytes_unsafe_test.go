package image

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// bytesOf returns the first n bytes of a region, which must be committed.
func bytesOf(r *vmem.Region, n int) []byte { return unsafe.Slice((*byte)(r.Pointer()), n) }
