package alloctest_test

import (
	"unsafe"

	"github.com/coppice-go/coppice/alloctest"
)

// shifted returns the constructor of a faulty allocator of 4-byte values. The gap between two
// values is by bytes: unless that is a multiple of 4, later values are misaligned.
func shifted(by int) func() alloctest.Allocator[*uint32, uint32] {
	return func() alloctest.Allocator[*uint32, uint32] {
		memory := make([]byte, 1<<12)
		used := 0
		return alloctest.Allocator[*uint32, uint32]{New: alloctest.Pointer(func() *uint32 {
			p := (*uint32)(unsafe.Pointer(&memory[used]))
			used += 4 + by
			return p
		})}
	}
}
