package symbols

import (
	"sync/atomic"
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// wordsOf returns the region as n words, committed or not.
func wordsOf(r *vmem.Region, n uintptr) []atomic.Uint64 {
	// Safety: an atomic.Uint64 is 8 bytes without a pointer; the region has 8*n bytes, starts at a
	// multiple of 64 and stays mapped until the process ends. Words that are not committed fault;
	// they are never indexed. TestAgainstModel.
	return unsafe.Slice((*atomic.Uint64)(r.Pointer()), n)
}

// bytesOf returns the first n bytes of the region, which are committed.
func bytesOf(r *vmem.Region, n uintptr) []byte {
	// Safety: callers ensure that n <= r.Committed(). TestSaveAndOpen.
	return unsafe.Slice((*byte)(r.Pointer()), n)
}

// view converts bytes to a string without a copy.
func view(b []byte) string {
	// Safety: the bytes are in a chunk, where they are written once, before a string of that part
	// exists; or they belong to the caller, and the string is used only during the call.
	// TestStringsNeverChange.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfString returns the bytes of a string, which must not be written.
func bytesOfString(text string) []byte {
	// Safety: they are written to a file, and not kept. TestSaveAndOpen.
	return unsafe.Slice(unsafe.StringData(text), len(text))
}
