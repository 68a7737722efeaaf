package hashmap

import "math/bits"

// A control word has one byte for each slot of a group: the lower seven bits of the hash of its
// key, or one of these constants.
const (
	empty   = 0x80 // the slot has no entry, and a search ends at its group
	deleted = 0xFE // the entry was deleted, and a search continues after the group
)

// slots is the number of slots in a group.
const slots = 8

const (
	everyByte = 0x0101010101010101
	everyTop  = 0x8080808080808080
	allEmpty  = empty * everyByte
)

// A set contains some of the slots of a group. It has one byte for each slot, whose top bit is 1 if
// the slot is in the set.
type set uint64

// first returns the index of the first slot in the set. The set must not be empty.
func (s set) first() int { return bits.TrailingZeros64(uint64(s)) >> 3 & (slots - 1) }

// afterFirst returns a mask of the slots after the first one. The set must not be empty.
func (s set) afterFirst() set { return ^(s ^ (s - 1)) }

// withTag returns the slots with the given tag. In rare cases, the result also contains a slot with
// a different tag, which follows a slot with this tag; the comparison of the keys then fails. The
// method is Mycroft's test for a zero byte (1987), as in Go's map.
func withTag(control uint64, tag uint8) set {
	v := control ^ everyByte*uint64(tag)
	return set((v - everyByte) &^ v & everyTop)
}

// emptySlots returns the slots whose control byte is empty, the only value in which bit 7 is set
// and bit 1 is not.
func emptySlots(control uint64) set { return set(control &^ (control << 6) & everyTop) }

// freeSlots returns the slots without an entry.
func freeSlots(control uint64) set { return set(control & everyTop) }

// fullSlots returns the slots with an entry.
func fullSlots(control uint64) set { return set(^control & everyTop) }

// setByte returns the control word with the byte of a slot replaced by b.
func setByte(control uint64, slot int, b uint8) uint64 {
	shift := 8 * uint(slot) & 63
	return control&^(0xFF<<shift) | uint64(b)<<shift
}

// byteOf returns the control byte of a slot.
func byteOf(control uint64, slot int) uint8 { return uint8(control >> (8 * uint(slot) & 63)) }

// tagOf returns the tag of a hash, which is stored in the control byte. The tag consists of bits
// that select neither the group nor, up to 2^33 pages, the page.
func tagOf(hash uint64) uint8 { return uint8(hash & 0x7F) }

// groupBits returns a hash without its tag. The lowest bits of the result select the group; how
// many of them depends on the number of groups.
func groupBits(hash uint64) uint64 { return hash >> 7 }

// shardShift is the position of the bits of a hash that select the shard. The bits that select the
// group are below them. The bits that select the page are above them, unless a shard has more than
// 2^26 pages.
const shardShift = 30

// shardOf returns the index of the shard of a hash. shards must be a power of two.
func shardOf(hash uint64, shards int) uint64 { return hash >> shardShift & uint64(shards-1) }
