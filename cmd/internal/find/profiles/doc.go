// Package profiles extracts the data about memory from Go's profiles: how CPU time is divided among
// the classes of memory work, and how many objects and bytes each place allocates.
//
// A cost is credited to the leaf-most frame that a user can change. Runtime frames are skipped, and
// a frame of the standard library becomes the leaf of the frame that called it. Allocations of
// package testing, runtime/pprof and the meter do not belong to sites; they are counted in
// CPU.Harness and Heap.Harness.
package profiles
