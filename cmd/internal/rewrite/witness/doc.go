// Package witness is the source of the code that the witness form adds to a change: package rewrite
// writes these files into a copy of the user's package, with that package's clause. There they
// watch the owners of slabs and of scratch space. A violation causes a panic whose message is one
// line that begins with "coppice witness:". The violation is also recorded in a file, so that it is
// reported even if the program recovers from the panic.
//
// The sources declare only names that begin with coppiceWitness. owner.go, slab.go and array.go
// need go1.18; the others compile with every version of Go. docs/decisions/0039 describes how the
// witness form works, and what it cannot detect.
//
//	witness.go        one owner: its address, its goroutine, and that calls do not overlap
//	goroutines.go     which goroutine this is, and whether a test has handed the owner over
//	violation.go      the message and the record of a violation
//	activations.go    scratch space: the last push is popped first
//	poison_unsafe.go  memory that must not be read any more
//	owner.go, slab.go owners that may be nil, and slab.Chunks
//	array.go          slices that share an array
package witness
