package symbols

import (
	"sync/atomic"
	"unsafe"

	"github.com/coppice-go/coppice/internal/vmem"
)

// wordsOf returns the region as n words, committed or not.
func wordsOf(r *vmem.Region, n uintptr) []atomic.Uint64 {
	// Safety: an atomic.Uint64 is 8 bytes without a pointer; the region has 8*n bytes, starts at a
	// multiple of 64 and stays mapped for as long as the process lives. Words that are not memory
	// fault; nobody indexes them. TestAgainstModel.
	return unsafe.Slice((*atomic.Uint64)(r.Pointer()), n)
}

// bytesOf returns the first n bytes of the region, which are committed.
func bytesOf(r *vmem.Region, n uintptr) []byte {
	// Safety: n <= r.Committed(), as the callers count. TestSaveAndOpen.
	return unsafe.Slice((*byte)(r.Pointer()), n)
}

// view converts bytes to a string without a copy.
func view(b []byte) string {
	// Safety: the bytes are text of a chunk that is written once, before anybody has a string of
	// that part; or they are the caller's, and the string is used only while the caller waits.
	// TestStringsNeverChange.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// bytesOfString returns the bytes of a string, which must not be written.
func bytesOfString(text string) []byte {
	// Safety: they go to a file, and nobody keeps them. TestSaveAndOpen.
	return unsafe.Slice(unsafe.StringData(text), len(text))
}
