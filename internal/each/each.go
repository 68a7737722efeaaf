// Package each derives loops over keys, or over values, from a loop over entries.
package each

import (
	"bytes"
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// Key yields the keys of the entries.
func Key[K, V any](all iter.Seq2[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range all {
			if !yield(k) {
				return
			}
		}
	}
}

// Value yields the values of the entries.
func Value[K, V any](all iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range all {
			if !yield(v) {
				return
			}
		}
	}
}

// Lend calls yield with bytes that are reused after it returns, and with their value. In checked
// builds the bytes are then overwritten, to reveal a caller that keeps them.
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
