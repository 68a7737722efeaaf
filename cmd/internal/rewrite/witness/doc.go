// Package witness is the source of what the witness form of a change has beside the change itself:
// package text writes these files into a copy of the user's package, with another package clause,
// where they watch the owners of slabs and of scratch space. A violation panics with one line that
// begins with "coppice witness:", and is recorded in a file, so that it counts where the program
// recovers from it.
//
// The sources compile in each version of Go and declare nothing but names that begin with
// coppiceWitness. owner.go, slab.go and array.go need go1.18. docs/decisions/0039 says how it
// works, and what it cannot see.
//
//	witness.go        one owner: its address, its goroutine, and that one call at a time uses it
//	goroutines.go     which goroutine this is, and whether a test has handed the owner over
//	violation.go      what is said and recorded
//	activations.go    scratch space: the last push is popped first
//	poison_unsafe.go  memory that no code may read any more
//	owner.go, slab.go owners that may be nil, and slab.Chunks
//	array.go          slices that share an array
package witness
