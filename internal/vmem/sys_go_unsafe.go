//go:build race || !(unix || windows) || !(amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package vmem

import (
	"fmt"
	"unsafe"
)

// address is the memory of a mapping. It consists of words, so that it is aligned for every type.
type address = []uint64

// GoMemory reports whether regions are allocated by the Go runtime.
const GoMemory = true

// The default and maximum sizes of regions on these platforms, in bytes.
const (
	goDefaultSize  = 16 << 20
	goGreatestSize = 1 << 30 >> (2 - 2*(^uintptr(0)>>63)) // 1 GiB, and 256 MiB on 32-bit machines
)

func sysDefaultSize(uintptr) uintptr { return goDefaultSize }

// sysReserve allocates size bytes, on the Go heap if fromBacking returns nil. The system supplies
// fresh memory of the Go heap only when it is touched, so at first most of the allocation costs
// only address space. The race detector, however, has two bytes of shadow memory for each byte, and
// touches these.
func sysReserve(size uintptr) (mapping, error) {
	if size > goGreatestSize {
		return mapping{}, fmt.Errorf("regions have at most %d bytes on this platform and under -race", goGreatestSize)
	}
	if base := fromBacking(size); base != nil {
		return mapping{base: base, size: size}, nil
	}
	return mapping{base: make([]uint64, size/8), size: size}, nil
}

// sysAffords returns nil, because the check is not possible on these platforms.
func sysAffords(uintptr) error { return nil }

// commit does nothing, because the memory exists and is zero.
func (m mapping) commit(_, _ uintptr) error { return nil }

// decommit zeroes the bytes, which must be whole words.
func (m mapping) decommit(start, end uintptr, _ pageKind) error {
	clear(m.base[start/8 : end/8])
	return nil
}

// Pointer returns the address of the first byte of the region, or nil if the region is small and
// has no memory.
func (r *Region) Pointer() unsafe.Pointer {
	if r.IsSmall() {
		return r.smallPointer()
	}
	// Safety: the slice has at least minReserve bytes, and a pointer into it keeps it alive.
	// TestCommitIsZeroed.
	return unsafe.Pointer(unsafe.SliceData(r.mapping.base))
}

// bytes returns a range of the mapping as a slice, for system calls that need a slice.
func (m mapping) bytes(start, end uintptr) []byte {
	// Safety: the range is part of this mapping, whose memory exists completely. TestCommitFile.
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.base))), 8*len(m.base))[start:end]
}
