package hashmap

import "math/bits"

// A control word has one byte for each slot of a group. The byte is either the lower seven bits of
// the hash of the slot's key, or one of these constants.
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

// A set records which slots of a group it contains. It has one byte for each slot. The top bit of
// the byte is 1 if the slot is in the set.
type set uint64

// first returns the index of the first slot in the set. The set must not be empty.
func (s set) first() int { return bits.TrailingZeros64(uint64(s)) >> 3 & (slots - 1) }

// afterFirst returns a mask of all slots of the group after the first slot in s. The set must not
// be empty.
func (s set) afterFirst() set { return ^(s ^ (s - 1)) }

// withTag returns the slots with the given tag. In rare cases, the result also contains a slot with
// a different tag that follows a slot with the given tag. This is harmless because the callers
// compare the keys. As in Go's map, the method is Mycroft's test for a zero byte (1987).
func withTag(control uint64, tag uint8) set {
	v := control ^ everyByte*uint64(tag)
	return set((v - everyByte) &^ v & everyTop)
}

// emptySlots returns the slots whose control byte is the constant empty. Only this constant has bit
// 7 set and bit 1 not set.
func emptySlots(control uint64) set { return set(control &^ (control << 6) & everyTop) }

// freeSlots returns the slots without an entry.
func freeSlots(control uint64) set { return set(control & everyTop) }

// fullSlots returns the slots with an entry.
func fullSlots(control uint64) set { return set(^control & everyTop) }

// setByte returns the control word with the byte of the given slot set to b.
func setByte(control uint64, slot int, b uint8) uint64 {
	shift := 8 * uint(slot) & 63
	return control&^(0xFF<<shift) | uint64(b)<<shift
}

// byteOf returns the control byte of a slot.
func byteOf(control uint64, slot int) uint8 { return uint8(control >> (8 * uint(slot) & 63)) }

// tagOf returns the tag of a hash, which is stored in the control byte. It consists of bits that do
// not select the group and, as long as there are at most 2^33 pages, do not select the page either.
func tagOf(hash uint64) uint8 { return uint8(hash & 0x7F) }

// groupBits returns a hash without its tag. The lowest bits of the result, as many as the number of
// groups requires, select the group.
func groupBits(hash uint64) uint64 { return hash >> 7 }

// shardShift is the position of the lowest hash bit that selects the shard. The bits that select
// the group are below the shard bits. The bits that select the page are above the shard bits,
// unless a shard has more than 2^26 pages.
const shardShift = 30

// shardOf returns the index of the shard to which a hash belongs. shards, the number of shards,
// must be a power of two.
func shardOf(hash uint64, shards int) uint64 { return hash >> shardShift & uint64(shards-1) }
