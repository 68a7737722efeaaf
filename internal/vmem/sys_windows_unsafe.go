//go:build windows && (amd64 || arm64) && !race

package vmem

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// address is where a mapping starts: memory that the Go runtime knows nothing about.
type address = unsafe.Pointer

// reusable says that a retired mapping is kept for the next region of its size.
const reusable = true

// GoMemory says whether regions are allocations of the Go heap.
const GoMemory = false

// addresses is how many bytes of addresses regions may have together by default.
const addresses = 96 << 40

// sysDefaultSize is a 4096th of the addresses that are left.
func sysDefaultSize(reserved uintptr) uintptr {
	left := uintptr(addresses) - min(reserved, addresses)
	return max(left/4096, 64<<20)
}

// sysReserve reserves size bytes, which costs no memory.
func sysReserve(size uintptr) (mapping, error) {
	base, err := windows.VirtualAlloc(0, size, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return mapping{}, err
	}
	// Safety: base is an address that the system picked, outside the Go heap; going
	// through a pointer to it says so to vet. TestRegionsDoNotOverlap.
	return mapping{*(*unsafe.Pointer)(unsafe.Pointer(&base)), size}, nil
}

// commit makes the bytes from start to end readable and writable.
func (m mapping) commit(start, end uintptr) error {
	_, err := windows.VirtualAlloc(uintptr(m.base)+start, end-start, windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// decommit gives the pages back; the addresses stay reserved.
func (m mapping) decommit(start, end uintptr) error {
	return windows.VirtualFree(uintptr(m.base)+start, end-start, windows.MEM_DECOMMIT)
}

// Pointer returns the first byte of the region.
func (r *Region) Pointer() unsafe.Pointer { return r.mapping.base }
