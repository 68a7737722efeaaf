// Package chunkrule defines the number of values in a chunk of slab.Chunks. It is used by
// slab.Chunks itself, by the type that coppice fix writes into modules that do not require Coppice,
// and by the estimate of the memory that slabs use. A change to a number here changes all of them.
// Statements about the longest chunk in documents are tested: TestDocumentsStateLongestChunk of
// package remedy/slab reports outdated ones.
package chunkrule

// Spare limits the free slots of a Chunks: it may have one free slot for every Spare values.
// Including the runtime's rounding, a Chunks uses at most a tenth more memory than plain new.
const Spare = 16

// Small is the size in bytes that a chunk may have even if Spare would allow fewer values. The
// first chunk has one value. No later chunk has more values than all earlier chunks have in total.
const Small = 256

// Sizes contains the sizes of chunks in bytes, the longest first; a chunk has as many values as fit
// into its size. Even the longest chunk is short, because one value that is still referenced keeps
// its whole chunk alive, and because the unused rest of a chunk is wasted. Longer chunks would save
// little once a value costs only a sixteenth of an allocation. The runtime rounds these sizes up by
// no more than 8 bytes, which it puts before an object with pointers.
var Sizes = [...]uint{1016, 760, 384, 192}

// Wanted returns the number of values that the chunk after the given number of slots would have if
// its size in bytes were not restricted to Sizes. The parameter size is the size of a value, and
// must not be zero.
func Wanted(slots uint, size int) int {
	return max(1, int(slots/Spare), min(int(slots), Small/size))
}

// Length returns the number of values in the chunk after the given number of slots. The size of a
// value must not be zero.
func Length(slots uint, size int) int {
	n := Wanted(slots, size)
	if uint64(n)*uint64(size) <= Small {
		return n
	}
	for _, bytes := range Sizes {
		if uint64(bytes) <= uint64(n)*uint64(size) {
			return max(1, int(bytes)/size)
		}
	}
	return n
}

// Longest returns the number of values in the longest chunk. The size of a value must not be zero.
// Once a chunk has this length, all later chunks have the same length.
func Longest(size int) int { return max(1, int(Sizes[0])/size) }
