package vmem

import (
	"errors"
	"fmt"
	"math/bits"
	"os"
)

// ErrNoMapping means that files cannot be mapped on this platform and must be read. This applies to
// Windows, 32-bit machines, wasm and builds with -race.
var ErrNoMapping = errors.New("files are not mapped on this platform")

// A FileMap is a file that is mapped as read-only memory. If the file is truncated while it is
// mapped, reading the missing part faults.
type FileMap struct {
	mapping mapping
	size    uintptr
}

// MapFile maps the first size bytes of the file, which must not be shorter. The addresses come from
// the pool of addresses for regions and are later returned to that pool, so that a stale pointer
// never points into the Go heap.
func MapFile(f *os.File, size int64) (*FileMap, error) {
	return MapFileRoom(f, size, size)
}

// MapFileRoom is like MapFile but reserves room bytes of address space, so that Grow can map what
// is appended to the file.
func MapFileRoom(f *os.File, size, room int64) (*FileMap, error) {
	if GoMemory || !mapsFiles {
		return nil, ErrNoMapping
	}
	class := bits.Len64(uint64(max(size, room, minReserve) - 1))
	if size <= 0 || class >= bits.UintSize-1 {
		return nil, fmt.Errorf("a file of %d bytes cannot be mapped", size)
	}
	m, err := reserveClass(nobody, class)
	if err != nil {
		return nil, fmt.Errorf("reserving %d bytes of address space: %w", uintptr(1)<<class, err)
	}
	if err := m.mapFile(f.Fd(), 0, uintptr(size)); err != nil {
		retire(m)
		return nil, fmt.Errorf("mapping %d bytes: %w", size, err)
	}
	return &FileMap{m, uintptr(size)}, nil
}

// Grow maps the first size bytes of the same file, which has become longer. If the reserved address
// space is too small, it returns false and does not change the map. Earlier results of Bytes stay
// valid.
func (m *FileMap) Grow(f *os.File, size int64) (bool, error) {
	if uint64(size) > uint64(m.mapping.size) {
		return false, nil
	}
	// The last page is already mapped completely, and shows what was appended.
	from := roundUp(m.size, uintptr(os.Getpagesize()))
	if from < uintptr(size) {
		if err := m.mapping.mapFile(f.Fd(), from, uintptr(size)); err != nil {
			return false, fmt.Errorf("mapping %d bytes more: %w", uintptr(size)-from, err)
		}
	}
	m.size = max(m.size, uintptr(size))
	return true, nil
}

// Bytes returns the file's bytes. They can be read until Close, and must not be written.
func (m *FileMap) Bytes() []byte { return m.mapping.file(m.size) }

// Close unmaps the file and retires its addresses. Reading there faults afterwards.
func (m *FileMap) Close() error {
	if err := m.mapping.decommit(0, roundUp(m.size, minCommit), filePages); err != nil {
		return fmt.Errorf("unmapping %d bytes: %w", m.size, err)
	}
	retire(m.mapping)
	m.mapping = mapping{}
	return nil
}
