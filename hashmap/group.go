package hashmap

import "math/bits"

// A control word has a byte for each slot of a group: the lower seven bits of its key's hash, or
// one of these.
const (
	empty   = 0x80 // no entry was ever in the slot, since its page was made
	deleted = 0xFE // there was one, and a search must go on behind the group
)

// slots is how many a group has.
const slots = 8

const (
	everyByte = 0x0101010101010101
	everyTop  = 0x8080808080808080
	allEmpty  = empty * everyByte
)

// A set is slots of a group: the upper bit of the byte of each.
type set uint64

// first returns the number of the first slot. The set has one.
func (s set) first() int { return bits.TrailingZeros64(uint64(s)) >> 3 & (slots - 1) }

// withTag returns the slots with a tag, and rarely one behind such a slot that has another: the
// comparison of keys tells. It is the test for a zero byte of Mycroft (1987), as in Go's map.
func withTag(control uint64, tag uint8) set {
	v := control ^ everyByte*uint64(tag)
	return set((v - everyByte) &^ v & everyTop)
}

// emptySlots returns those that never had an entry: the only bytes with the upper bit and without
// the second.
func emptySlots(control uint64) set { return set(control &^ (control << 6) & everyTop) }

// freeSlots returns those without an entry.
func freeSlots(control uint64) set { return set(control & everyTop) }

// fullSlots returns those with one.
func fullSlots(control uint64) set { return set(^control & everyTop) }

// setByte returns the control word with another byte for a slot.
func setByte(control uint64, slot int, b uint8) uint64 {
	shift := 8 * uint(slot) & 63
	return control&^(0xFF<<shift) | uint64(b)<<shift
}

// byteOf returns the control byte of a slot.
func byteOf(control uint64, slot int) uint8 { return uint8(control >> (8 * uint(slot) & 63)) }

// tagOf is what a control byte says of a hash. No bit of it chooses the group or, before there are
// 2^33 pages, the page.
func tagOf(hash uint64) uint8 { return uint8(hash & 0x7F) }

// groupBits are the bits of a hash that choose the group: the lowest ones, as many as there are
// groups.
func groupBits(hash uint64) uint64 { return hash >> 7 }

// shardShift is where the bits of a hash are that choose the shard. Those of the page are above,
// until a shard has 2^26 of them, and those of the group below.
const shardShift = 30

// shardOf is the index of the shard of a hash, of which there are a power of two.
func shardOf(hash uint64, shards int) uint64 { return hash >> shardShift & uint64(shards-1) }
