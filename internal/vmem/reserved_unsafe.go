//go:build (unix || windows) && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import "unsafe"

// This file is for all systems that reserve address space.

// address is the address of a mapping, whose memory is not managed by the Go runtime.
type address = unsafe.Pointer

// reusable reports whether a retired mapping is kept for the next region of its size.
func (mapping) reusable() bool { return true }

// GoMemory reports whether regions are allocated by the Go runtime.
const GoMemory = false

// GoHeap reports whether the memory of regions is on the Go heap.
const GoHeap = false

// addresses is the default limit of the address space of all regions together. It is three quarters
// of what a process has on most 64-bit systems.
const addresses = 96 << 40

// sysDefaultSize returns 1/4096 of the remaining address space. Rounded up to a power of two, this
// is 32 GiB for the first region, and 1 GiB after ten thousand regions.
func sysDefaultSize(reserved uintptr) uintptr {
	left := uintptr(addresses) - min(reserved, addresses)
	return max(left/4096, 64<<20)
}

// Pointer returns the address of the first byte of the region, or nil if the region is small and
// has no memory.
func (r *Region) Pointer() unsafe.Pointer {
	if r.IsSmall() {
		return r.smallPointer()
	}
	return r.mapping.base
}

// bytes returns a range of the mapping as a slice, for system calls that need a slice.
func (m mapping) bytes(start, end uintptr) []byte {
	// Safety: the range is part of this mapping; the slice is passed to the kernel and not kept.
	// TestCommitIsZeroed.
	return unsafe.Slice((*byte)(unsafe.Add(m.base, start)), end-start)
}
