//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// protected holds the flags of a private mapping that costs no memory until it is written.
const protected = unix.MAP_PRIVATE | unix.MAP_ANON | mapNoReserve

// sysReserve maps size bytes without access. If size is at least hugeSize, the mapping is aligned
// to hugeSize.
func sysReserve(size uintptr) (mapping, error) {
	align := uintptr(0)
	if size >= hugeSize {
		align = hugeSize
	}
	// Safety: the kernel picks the address, where nothing is mapped, and base stays inside the
	// mapping, which has align bytes to spare. TestRegionsDoNotOverlap.
	start, err := unix.MmapPtr(-1, 0, nil, size+align, unix.PROT_NONE, protected)
	if err != nil {
		return mapping{}, err
	}
	base := start
	if align > 0 {
		base = unsafe.Add(start, roundUp(uintptr(start), align)-uintptr(start))
	}
	return mapping{base: base, size: size}, nil
}

// sysAffords maps size bytes of memory that the system accounts for, and unmaps them without
// touching them.
func sysAffords(size uintptr) error {
	// Safety: the kernel picks the address, where nothing is mapped, and there is no pointer to it.
	// TestAffords.
	start, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.MunmapPtr(start, size)
}

// commit makes the bytes from start to end readable and writable.
func (m mapping) commit(start, end uintptr) error {
	return unix.Mprotect(m.bytes(start, end), unix.PROT_READ|unix.PROT_WRITE)
}

// left returns the access permissions that memory has after it is released.
func (m mapping) left() int {
	if m.audience == readers {
		return unix.PROT_READ
	}
	return unix.PROT_NONE
}

// decommit maps fresh memory over the bytes, which releases their pages at the same time. The fresh
// memory is inaccessible or, if there are readers, reads as zero. If the process has too many
// mappings for that, decommit calls drop instead. It does not do so if a file is mapped to the
// pages, because dropped pages would show the file again.
func (m mapping) decommit(start, end uintptr, kind pageKind) error {
	// Safety: the range is part of this mapping, so nothing else is replaced.
	// TestDecommittedMemoryFaults.
	_, err := unix.MmapPtr(-1, 0, unsafe.Add(m.base, start), end-start, m.left(), protected|unix.MAP_FIXED)
	if err == unix.ENOMEM && kind == ownPages && m.drop(start, end) {
		return nil
	}
	return err
}
