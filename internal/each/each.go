// Package each makes loops over keys, or over values, of a loop over entries.
package each

import (
	"bytes"
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// Key yields the keys of entries.
func Key[K, V any](all iter.Seq2[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range all {
			if !yield(k) {
				return
			}
		}
	}
}

// Value yields the values of entries.
func Value[K, V any](all iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range all {
			if !yield(v) {
				return
			}
		}
	}
}

// Lend calls yield with bytes that are somebody else's when it returns, and their value. In checked
// builds they are overwritten then, so that whoever keeps them sees it.
func Lend[V any](text []byte, v V, yield func([]byte, V) bool) bool {
	if !checks.Enabled {
		return yield(text[:len(text):len(text)], v)
	}
	own := bytes.Clone(text)
	more := yield(own[:len(own):len(own)], v)
	for i := range own {
		own[i] = 0xDB
	}
	return more
}
