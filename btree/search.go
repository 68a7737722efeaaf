package btree

// A search in a node must not guess: a branch on the key of random look-ups is wrong every second
// time and costs 15 to 20 cycles. So it counts the keys that are less. A first pass looks at every
// eighth word, which is one for each line of the cache, with loads that do not wait for each other,
// so that one wait for memory brings the whole node; a second pass counts in one block of eight,
// without a loop. Counting instead of branching is from Kenneth Ross, "Selection conditions in main
// memory" (TODS 2004); two passes over lines is the "linear search with key prefetching" of Chen,
// Gibbons and Mowry (SIGMOD 2001).
//
// The words after the last one in use are the greatest there is, so that blocks need no other end.

const line = 8

// less counts the words below w: where w is, or would be put. words has room for at least 8, and
// count of them are in use.
func less[W uint32 | uint64](words []W, count int, w W) int {
	at := 0
	for i := line - 1; i < count; i += line {
		at += b2i(words[i] < w)
	}
	at = min(at*line, len(words)-line)
	b := (*[line]W)(words[at:])
	at += b2i(b[0] < w) + b2i(b[1] < w) + b2i(b[2] < w) + b2i(b[3] < w)
	at += b2i(b[4] < w) + b2i(b[5] < w) + b2i(b[6] < w) + b2i(b[7] < w)
	return min(at, count) // for damaged files, whose words are in any order
}

// notAbove counts the words of at most w: the child where w belongs.
func notAbove[W uint32 | uint64](words []W, count int, w W) int {
	at := 0
	for i := line - 1; i < count; i += line {
		at += b2i(words[i] <= w)
	}
	at = min(at*line, len(words)-line)
	b := (*[line]W)(words[at:])
	at += b2i(b[0] <= w) + b2i(b[1] <= w) + b2i(b[2] <= w) + b2i(b[3] <= w)
	at += b2i(b[4] <= w) + b2i(b[5] <= w) + b2i(b[6] <= w) + b2i(b[7] <= w)
	return min(at, count) // the greatest word is not above itself
}

// b2i compiles to one instruction.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
