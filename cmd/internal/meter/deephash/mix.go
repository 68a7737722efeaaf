package deephash

import "math/bits"

// These are two odd constants from wyhash. Half of each constant's bits are set.
const (
	mixA = 0xa0761d6478bd642f
	mixB = 0xe7037ed1a0b428db
)

// deepMix mixes x into state and returns the new state. The result depends on the order of the
// calls. Like wyhash, it combines both halves of a 128-bit product.
func deepMix(state, x uint64) uint64 {
	hi, lo := bits.Mul64(state^mixA, x^mixB)
	return hi ^ lo
}

// deepMixString mixes the length and the bytes of s into state and returns the new state.
func deepMixString[S string | []byte](state uint64, s S) uint64 {
	state = deepMix(state, uint64(len(s)))
	for ; len(s) >= 8; s = s[8:] {
		state = deepMix(state, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	if len(s) > 0 {
		var last uint64
		for i := range len(s) {
			last |= uint64(s[i]) << (8 * i)
		}
		state = deepMix(state, last)
	}
	return state
}
