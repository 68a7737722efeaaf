package btree

// A search in a node must avoid unpredictable branches. If look-ups are random, a branch that
// depends on the key is mispredicted half of the time, and each misprediction costs 15 to 20
// cycles. Instead of branching, the search counts the keys that are less than the probe. A first
// pass reads every eighth word, one per cache line, with independent loads, so that the whole node
// is loaded in the time of one cache miss. A second pass counts the keys in one block of eight
// words, without a loop. The technique of counting instead of branching is from Kenneth Ross,
// "Selection conditions in main memory" (TODS 2004); two passes over lines is the "linear search
// with key prefetching" of Chen, Gibbons and Mowry (SIGMOD 2001).
//
// Unused words at the end of a node have the largest value, so that a partly used block needs no
// special case.

const line = 8

// less returns the number of words that are less than w. This is the index of w if it is present,
// and otherwise the index at which it would be inserted. words must have at least 8 elements; count
// is the number of elements in use.
func less[W uint32 | uint64](words []W, count int, w W) int {
	at := 0
	for i := line - 1; i < count; i += line {
		at += b2i(words[i] < w)
	}
	at = min(at*line, len(words)-line)
	b := (*[line]W)(words[at:])
	at += b2i(b[0] < w) + b2i(b[1] < w) + b2i(b[2] < w) + b2i(b[3] < w)
	at += b2i(b[4] < w) + b2i(b[5] < w) + b2i(b[6] < w) + b2i(b[7] < w)
	return min(at, count) // for damaged files, whose words may be in any order
}

// notAbove returns the number of words that are less than or equal to w. In an inner node, this is
// the index of the child to which w belongs.
func notAbove[W uint32 | uint64](words []W, count int, w W) int {
	at := 0
	for i := line - 1; i < count; i += line {
		at += b2i(words[i] <= w)
	}
	at = min(at*line, len(words)-line)
	b := (*[line]W)(words[at:])
	at += b2i(b[0] <= w) + b2i(b[1] <= w) + b2i(b[2] <= w) + b2i(b[3] <= w)
	at += b2i(b[4] <= w) + b2i(b[5] <= w) + b2i(b[6] <= w) + b2i(b[7] <= w)
	return min(at, count) // the largest word is not greater than itself
}

// b2i returns 1 for true and 0 for false. It compiles to one instruction.
func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
