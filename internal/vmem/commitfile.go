package vmem

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// leastMapped is the smallest number of bytes for which a file is mapped. Fewer bytes are read
// instead, which takes about 20 microseconds.
const leastMapped = 128 << 10

// CommitFile fills the first size bytes of a region, which must have no committed memory, with the
// bytes of the file at the given offset, a multiple of 64 KiB. Where files can be mapped (not in Go
// memory, and not on Windows), whole pages are mapped privately: a page is read when it is first
// touched, and a write copies the page and never reaches the file. The remaining bytes are read.
// Memory that Commit adds later is zero, as always. The file can be closed afterwards. If the file
// is truncated while it is mapped, access to the missing part is a fault that ends the process;
// removing or renaming the file is safe. CommitFile does not check the bytes. They are included in
// the committed bytes. If CommitFile fails, the region still has no committed memory.
func (r *Region) CommitFile(f *os.File, offset int64, size uintptr) error {
	switch {
	case r.committed != 0:
		return errors.New("the region has memory already")
	case size > r.Size():
		return fmt.Errorf("%d bytes exceed the %d reserved", size, r.Size())
	case offset < 0 || offset%minCommit != 0:
		return fmt.Errorf("a section of a file at byte %d, which is not a multiple of %d", offset, minCommit)
	case size == 0:
		return nil
	case failNext():
		return fmt.Errorf("committing %d bytes: %w (injected)", size, ErrNoMemory)
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if left := info.Size() - offset; left < 0 || uint64(left) < uint64(size) {
		return fmt.Errorf("reading %d bytes at offset %d of a file of %d bytes: %w", size, offset, info.Size(), io.ErrUnexpectedEOF)
	}
	if err := r.fill(f, offset, size); err != nil {
		return errors.Join(err, r.Decommit(0))
	}
	return nil
}

// fill implements CommitFile. If it fails, the region records the bytes that have been committed.
func (r *Region) fill(f *os.File, offset int64, size uintptr) error {
	if r.IsSmall() && size <= mostSmall {
		if err := r.growSmall(size, size); err != nil {
			return err
		}
		return read(f, r.smallBytes()[:size], offset)
	}
	if r.IsSmall() {
		if err := r.leaveHeap(0, size); err != nil {
			return err
		}
	}
	mapped := uintptr(0)
	if mapsFiles && size >= leastMapped {
		mapped = size &^ (max(uintptr(os.Getpagesize()), minCommit) - 1)
		if err := r.mapping.mapPrivate(f.Fd(), offset, mapped); err != nil {
			return fmt.Errorf("mapping %d bytes: %w: %w", mapped, ErrNoMemory, err)
		}
		r.account.commit(int64(mapped))
		r.committed, r.filed = mapped, mapped
	}
	end := roundUp(size, minCommit)
	if mapped < end {
		if err := r.mapping.commit(mapped, end); err != nil {
			return fmt.Errorf("committing %d bytes: %w: %w", end-mapped, ErrNoMemory, err)
		}
		r.account.commit(int64(end) - int64(mapped))
		r.committed = end
	}
	if err := read(f, r.mapping.bytes(mapped, size), offset+int64(mapped)); err != nil {
		return err
	}
	r.advise()
	return nil
}

// read fills b with the bytes of the file, beginning at offset.
func read(f *os.File, b []byte, offset int64) error {
	if _, err := f.ReadAt(b, offset); err != nil && (err != io.EOF || len(b) > 0) {
		return fmt.Errorf("reading %d bytes: %w", len(b), err)
	}
	return nil
}
