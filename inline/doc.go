// Package inline has a vector whose first elements live inside it, so that a short one
// costs no allocation.
//
//	var path inline.Vec[*Node, [16]*Node] // a local variable: nothing on the Go heap
//	for n := leaf; n != nil; n = n.parent {
//		path.Append(n) // allocates only if there are more than 16
//	}
//
// # The main danger
//
// A Vec is a value. While the elements live inside it a copy has its own; once they
// have spilled, moved to a slice on the Go heap, a copy shares them as a copy of a slice
// does. So pass a pointer to whoever changes it, take [Vec.Clone] where two must live on,
// and of the copies of a Vec change one only. In checked builds (-tags coppice_checks,
// or -race) a change panics if another copy has changed shared elements before.
//
// What [Vec.Slice] and [Vec.At] return points into the Vec, and keeps it alive. When a
// later Append moves the elements, as append does with a slice's, it points at what they
// left behind: memory stays sound, but a write there is lost, and the inside reads zero. In
// checked builds the next change of the Vec finds such a write, and panics.
//
// # The price
//
//   - A Vec has four words and an A: 32 bytes and A's size on 64-bit machines, 16 and A's
//     size on 32-bit ones, rounded up to words. Assigning it, passing it by value and
//     growing a slice or a map of them copies all of that.
//   - After a spill the array inside lies idle.
//   - At, Len and Slice ask first where the elements are, and All asks for each of
//     them. In a hot loop take the Slice once: reading it costs what reading a slice costs.
//   - Append inlines whole, and takes a few hundred bytes of code wherever it stands.
//   - A Vec lives on the stack only if no pointer to it, or to an element, gets away, as
//     any variable; go build -gcflags=-m says "moved to heap" if one does.
//
// # When to use something else
//
// For a slice that does not outlive the function, s := make([]T, 0, 16) lies on the stack
// too, and append moves it to the Go heap when it must. It is smaller and as fast:
// take it. A Vec pays where the vector is part of something larger (a node with mostly
// four children or fewer, a key of mostly 20 bytes), or is filled by other functions
// through a pointer.
//
// If most vectors spill, or an A that holds most of them is too long to copy about, take a
// slice; if they all live and die together, cut the slices from a slab with its Make.
// Choose an A that nine in ten fit: what more there is you copy, clear and keep in cache
// for nothing.
//
// # How it works
//
//	inside:    spill nil           n 3    inline [a b c 0]
//	spilled:   spill [a b c d e]   n 4    inline [0 0 0 0]
//
// The union of array types in [Array] ties A to T at compile time. A spilled Vec has n
// at its maximum, so that Append has one comparison while it is inline. Whatever is
// removed, and the inside after a spill, is set to zero, so that a Vec keeps nothing alive
// that it no longer has.
//
// The idea is old in C++: LLVM's SmallVector, Boost's small_vector and the short string
// optimisation of std::string. Those hold a pointer into themselves and need code to be
// moved; a Vec asks where its elements are instead, since Go moves values as they are.
package inline
