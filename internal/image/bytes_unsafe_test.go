package image

import (
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// bytesOf is the first bytes of a region, which are memory.
func bytesOf(r *vmem.Region, n int) []byte { return unsafe.Slice((*byte)(r.Pointer()), n) }
