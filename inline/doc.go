// Package inline provides a vector that stores its first elements inside itself. A short vector
// therefore needs no allocation.
//
//	var path inline.Vec[*Node, [16]*Node] // a local variable; no memory on the Go heap
//	for n := leaf; n != nil; n = n.parent {
//		path.Append(n) // allocates only if there are more than 16
//	}
//
// # Copies
//
// A Vec is a value. While the elements are inline, a copy has its own elements. Once they have
// spilled (moved to a slice on the Go heap), a copy shares them, like a copy of a slice. Therefore
// pass a pointer to a function that changes a Vec, use [Vec.Clone] to get an independent Vec, and
// change only one of the copies of a Vec. In checked builds (-tags coppice_checks, or -race) a
// method that changes a Vec panics if another copy has already changed the shared elements.
//
// The results of [Vec.Slice] and [Vec.At] point into the Vec and keep it alive. A later Append can
// move the elements, like append on a slice. The results then point to the old memory. This is
// memory-safe, but a write to the old memory is lost, and the old inline array reads as zero. In
// checked builds the next method that changes the Vec detects such a write and panics.
//
// # Costs
//
//   - A Vec consists of four words and an A: on 64-bit machines 32 bytes plus the size of A, on
//     32-bit machines 16 bytes plus the size of A, rounded up to words. Assigning it, passing it by
//     value and growing a slice or a map of Vecs copy all of that.
//   - After a spill the inline array is unused.
//   - At, Len and Slice first check where the elements are, and All checks for each element. In a
//     hot loop, call Slice once: reading it costs the same as reading any slice.
//   - Append inlines completely, and adds a few hundred bytes of code at each call site.
//   - A Vec is on the stack only if no pointer to it or to an element escapes, like any variable;
//     go build -gcflags=-m reports "moved to heap" if one does.
//
// # When to use something else
//
// For a slice that does not outlive the function, s := make([]T, 0, 16) is on the stack too, and
// append moves it to the Go heap when necessary. It is smaller and as fast, so prefer it. A Vec is
// better if the vector is part of a larger value (a node that usually has at most four children, a
// key that is usually 20 bytes long), or if other functions fill it through a pointer.
//
// If most vectors spill, or if an A that holds most of them is too large to copy, use a slice. If
// all vectors have the same lifetime, allocate slices with slab.Slab.Make. Choose an A that is
// large enough for nine out of ten vectors. A larger array costs time for copying and clearing, and
// space in the cache, without benefit.
//
// # How it works
//
//	inline:    spill nil           n 3    inline [a b c 0]
//	spilled:   spill [a b c d e]   n 4    inline [0 0 0 0]
//
// The union of array types in [Array] ensures at compile time that A is an array of T. In a spilled
// Vec, n is the length of the inline array, so that Append needs only one comparison while the Vec
// is inline. Removed elements, and the inline array after a spill, are zeroed, so that a Vec does
// not keep alive what it no longer contains.
//
// C++ libraries have long used this idea: in LLVM's SmallVector, Boost's small_vector and the short
// string optimization of std::string. Many of these types contain a pointer into themselves, which
// a move constructor must update. Go copies the bytes of a value, so a Vec instead checks where its
// elements are.
package inline
