//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !race

package vmem

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapsFiles reports whether MapFile works on this platform.
const mapsFiles = true

// mapFile maps the bytes of a file from offset start to offset end over the same range of the
// mapping. The offset start must be page-aligned.
func (m mapping) mapFile(fd, start, end uintptr) error {
	// Safety: the range is part of this mapping, so nothing else is replaced.
	// TestFileMap, TestFileMapGrows.
	_, err := unix.MmapPtr(int(fd), int64(start), unsafe.Add(m.base, start), end-start, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_FIXED)
	return err
}

// mapPrivate maps size bytes of a file, copy-on-write, over the start of the mapping. The offset in
// the file and the size must be page-aligned.
func (m mapping) mapPrivate(fd uintptr, offset int64, size uintptr) error {
	// Safety: the range is part of this mapping, so nothing else is replaced.
	// TestCommitFile.
	_, err := unix.MmapPtr(int(fd), offset, m.base, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|mapNoReserve)
	return err
}

// file returns the first size bytes of the mapping as a slice.
func (m mapping) file(size uintptr) []byte {
	// Safety: mapFile has mapped that many bytes there, and the addresses are not used for anything
	// else afterwards. TestFileMap.
	return unsafe.Slice((*byte)(m.base), size)
}
