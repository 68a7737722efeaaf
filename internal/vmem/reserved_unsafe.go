//go:build (unix || windows) && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import "unsafe"

// This file is what all systems have in common that reserve addresses.

// address is where a mapping starts: memory that the Go runtime knows nothing about.
type address = unsafe.Pointer

// reusable says that a retired mapping is kept for the next region of its size.
func (mapping) reusable() bool { return true }

// GoMemory says whether regions are memory of the Go program.
const GoMemory = false

// GoHeap says whether the memory of regions is the Go heap's.
const GoHeap = false

// addresses is how many bytes of addresses regions may have together by default:
// three quarters of what a process has on most 64-bit systems.
const addresses = 96 << 40

// sysDefaultSize is a 4096th of the addresses that are left. Rounded up to a power of
// two that makes 32 GiB for the first region, and 1 GiB for the ten-thousandth.
func sysDefaultSize(reserved uintptr) uintptr {
	left := uintptr(addresses) - min(reserved, addresses)
	return max(left/4096, 64<<20)
}

// Pointer returns the first byte of the region, and nil of a small one without memory.
func (r *Region) Pointer() unsafe.Pointer {
	if r.IsSmall() {
		return r.smallPointer()
	}
	return r.mapping.base
}

// bytes is the range as a slice, for calls to the system that take one.
func (m mapping) bytes(start, end uintptr) []byte {
	// Safety: the range is part of this mapping; the slice is handed to the kernel
	// and not kept. TestCommitIsZeroed.
	return unsafe.Slice((*byte)(unsafe.Add(m.base, start)), end-start)
}
