// Package benchresult hands over what a benchmark has computed. The compiler then cannot leave the
// work out, and coppice prove sees whether a faster version computes the same.
//
//	func BenchmarkParse(b *testing.B) {
//		for b.Loop() {
//			tree := parse(source)
//			benchresult.Keep(b, tree)
//		}
//	}
//
// It imports nothing but the standard library. To avoid a dependency, declare the interface
// that it uses, as docs/PROVE.md shows.
package benchresult

import (
	"runtime"
	"slices"
	"testing"
)

// A keeper is a *testing.B as coppice prove builds it.
type keeper interface {
	CoppiceKeeping() bool
	CoppiceKeep(site string, values ...any)
}

// Keep says that values are what a benchmark has computed. The compiler then cannot leave out what
// computes them. Under coppice prove it also records a hash of them, and of all they lead to, so
// that a faster version that computes something else is not taken for an improvement. In an
// ordinary test binary it keeps nothing beyond the call and allocates nothing for values that are
// pointers; others are copied to the Go heap first, as in any call that takes an any: pass a
// pointer to the result.
//
// Call it once for each operation, or once at the end for all, from the function of the benchmark,
// or from several goroutines, if their order does not matter. The values must not change during the
// call. Keep accepts any b, and a test too.
func Keep(b testing.TB, values ...any) {
	if k, ok := b.(keeper); ok && k.CoppiceKeeping() {
		k.CoppiceKeep("", slices.Clone(values)...) // a copy: what goes to an unknown method escapes to the Go heap
	}
	runtime.KeepAlive(values)
}
