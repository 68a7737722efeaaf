// Package each derives iterators over keys or values from an iterator over key-value pairs.
package each

import (
	"bytes"
	"iter"

	"github.com/coppice-go/coppice/internal/checks"
)

// Key returns an iterator over the keys in all.
func Key[K, V any](all iter.Seq2[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range all {
			if !yield(k) {
				return
			}
		}
	}
}

// Value returns an iterator over the values in all.
func Value[K, V any](all iter.Seq2[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		for _, v := range all {
			if !yield(v) {
				return
			}
		}
	}
}

// Lend calls yield with text and v, and returns the result of yield. The caller reuses text
// afterwards. In checked builds, yield receives bytes that are overwritten when it returns, to
// reveal code that keeps them.
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
