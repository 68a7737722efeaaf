// Package chunkrule says how many values a chunk of slab.Chunks has. Whoever needs that asks here:
// slab.Chunks itself, the type that coppice fix writes into modules that do not require Coppice,
// and the estimate of what slabs take. A change of a number here changes all of them. What
// documents say of the longest chunk is tested: TestTextsKnowTheLongestChunk of package remedy/slab
// names those that are old.
package chunkrule

// Spare is how much of its values a Chunks may have as free slots: one in so many. With what the
// runtime rounds up, that is at most a tenth more than plain new takes.
const Spare = 16

// Small is how many bytes a chunk may have however few values came before, but no more values than
// came before.
const Small = 256

// Sizes are the sizes of chunks in bytes, the longest first; a chunk has as many values as fit. One
// value that is still held keeps a chunk alive, and a chunk that is begun and not needed is
// garbage, so the longest is short: where a value costs a sixteenth of an allocation, longer chunks
// save little. The sizes are such that the runtime rounds them up by no more than the 8 bytes that
// it puts before an object with pointers.
var Sizes = [...]uint{1016, 760, 384, 192}

// Wanted returns how many values of a size, which is not 0, a chunk may have after so many slots:
// any size of chunk will do.
func Wanted(slots uint, size int) int {
	return max(1, int(slots/Spare), min(int(slots), Small/size))
}

// Length returns how many values of a size, which is not 0, the chunk after so many slots has.
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

// Longest returns how many values of a size, which is not 0, the longest chunk has. All chunks
// after one of that length have it.
func Longest(size int) int { return max(1, int(Sizes[0])/size) }
