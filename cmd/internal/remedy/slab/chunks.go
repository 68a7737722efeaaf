package slab

// What slab.Chunks does: chunks double up to 256 bytes, are at most a sixteenth of the values before them, and have one
// of a few lengths in bytes. A test compares this with slab.Chunks itself.
const (
	chunkSpare = 16
	chunkSmall = 256
)

var chunkBytes = [...]int{6520, 3064, 1528, 760, 384, 192}

// chunkAfter is how many values the chunk after so many slots has.
func chunkAfter(slots, size int) int {
	n := max(1, slots/chunkSpare, min(slots, chunkSmall/size))
	if n*size <= chunkSmall {
		return n
	}
	for _, bytes := range chunkBytes {
		if bytes <= n*size {
			return max(1, bytes/size)
		}
	}
	return n
}

// slabBytes is how many bytes an owner's slab takes for so many values of a size. Owners differ, so
// the last chunk is taken to be half used.
func slabBytes(values float64, size int) float64 {
	size = max(1, size)
	slots, last := 0, 1
	for float64(slots) < values {
		last = chunkAfter(slots, size)
		slots += last
	}
	return (max(1, values) + float64(last-1)/2) * float64(size)
}
