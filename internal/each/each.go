// Package each makes loops over keys, or over values, of a loop over entries.
package each

import "iter"

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
