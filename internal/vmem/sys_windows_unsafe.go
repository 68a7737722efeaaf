//go:build windows && (amd64 || arm64) && !race

package vmem

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// sysReserve reserves size bytes, which costs no memory.
func sysReserve(size uintptr) (mapping, error) {
	base, err := windows.VirtualAlloc(0, size, windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	if err != nil {
		return mapping{}, err
	}
	// Safety: base is an address that the system picked, outside the Go heap; the conversion
	// through a pointer to it satisfies vet. TestRegionsDoNotOverlap.
	return mapping{base: *(*unsafe.Pointer)(unsafe.Pointer(&base)), size: size}, nil
}

// sysAffords commits size bytes and releases them without touching them.
func sysAffords(size uintptr) error {
	base, err := windows.VirtualAlloc(0, size, windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return err
	}
	return windows.VirtualFree(base, 0, windows.MEM_RELEASE)
}

// commit makes the bytes from start to end readable and writable.
func (m mapping) commit(start, end uintptr) error {
	_, err := windows.VirtualAlloc(uintptr(m.base)+start, end-start, windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// decommit releases the pages. The address space stays reserved.
func (m mapping) decommit(start, end uintptr, _ pageKind) error {
	return windows.VirtualFree(uintptr(m.base)+start, end-start, windows.MEM_DECOMMIT)
}
