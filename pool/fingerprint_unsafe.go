//go:build coppice_checks || race

package pool

import (
	"hash/maphash"
	"unsafe"
)

// seed makes fingerprints of one process comparable.
var seed = maphash.MakeSeed()

// fingerprint returns a hash of the bytes of *v, padding included, and of nothing
// that *v points to.
func fingerprint[T any](v *T) uint64 {
	// Safety: the bytes of *v are read and never kept; v is live throughout, and
	// the slice has exactly its size. TestFingerprint reads values of every kind at
	// the end of their memory under checkptr.
	return maphash.Bytes(seed, unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)))
}
