//go:build coppice_checks || race

package pool

import (
	"hash/maphash"
	"unsafe"
)

// seed is the hash seed of all fingerprints in this process. Fingerprints can be compared only if
// they have the same seed.
var seed = maphash.MakeSeed()

// fingerprint returns a hash of those bytes of *v that are in the spans. It does not follow
// pointers in *v.
func fingerprint[T any](v *T, parts []span) (sum uint64) {
	for _, part := range parts {
		// Safety: the bytes of *v are read and never kept; v is live throughout, and no part
		// of a T ends beyond its size. TestFingerprint reads values of every kind at the end of
		// their memory under checkptr.
		bytes := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(v), part.start)), part.end-part.start)
		sum = 31*sum + maphash.Bytes(seed, bytes)
	}
	return sum
}
