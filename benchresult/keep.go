// Package benchresult marks values as the results of a benchmark. The compiler then cannot
// eliminate the work as dead code, and coppice prove checks whether a faster version computes the
// same results.
//
//	func BenchmarkParse(b *testing.B) {
//		for b.Loop() {
//			tree := parse(source)
//			benchresult.Keep(b, tree)
//		}
//	}
//
// The package imports only the standard library. To avoid depending on the package, declare the
// interface that it uses, as docs/PROVE.md shows.
package benchresult

import (
	"runtime"
	"slices"
	"testing"
)

// A keeper records results. In a test binary that coppice prove builds, *testing.B implements it.
type keeper interface {
	CoppiceKeeping() bool
	CoppiceKeep(site string, values ...any)
}

// Keep marks values as the results of a benchmark. The compiler then cannot eliminate the code that
// computes them. Under coppice prove, Keep also records a hash of them, and of everything that they
// point to, so that a faster version that computes a different result is not mistaken for an
// improvement. In an ordinary test binary, Keep retains nothing after the call, and allocates
// nothing for values that are pointers. Other values are copied to the Go heap first, as in every
// call with a parameter of type any, so pass a pointer to the result.
//
// Call Keep once for each operation, or once at the end for all operations. Call it from the
// benchmark function, or from several goroutines if their order does not matter. The values must
// not change during the call. Keep accepts any testing.TB, including a *testing.T.
func Keep(b testing.TB, values ...any) {
	if k, ok := b.(keeper); ok && k.CoppiceKeeping() {
		k.CoppiceKeep("", slices.Clone(values)...) // a copy: arguments of an interface method escape to the Go heap
	}
	runtime.KeepAlive(values)
}
