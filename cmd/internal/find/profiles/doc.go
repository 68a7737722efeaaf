// Package profiles reads the data about memory in Go's profiles: the classes of a CPU profile, and
// the numbers of objects and bytes that each place allocates.
//
// A cost is credited to the leaf-most frame that a user can change: runtime frames are skipped, and
// frames of the standard library are kept as the leaf of the frame that called them. Allocations of
// package testing, runtime/pprof and the meter are not sites; CPU.Harness and Heap.Harness contain
// their amounts.
package profiles
