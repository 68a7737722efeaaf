package main

// floor is a lower bound for every index: it knows the numbers from which the keys were generated.
// A look-up converts the key back into its number and has one cache miss, for the entry. The
// additional time of a real index is the cost of not knowing the keys.
func floor() strategy[uint64] {
	return strategy[uint64]{"floor", func(told int) index[uint64] {
		all := make([]entry[uint64], 0, told)
		count := 0
		at := func(k uint64) *entry[uint64] {
			if i := unmix(k); i < uint64(len(all)) && all[i].key == k {
				return &all[i]
			}
			return nil
		}
		return index[uint64]{
			set: func(k uint64, v uint64) {
				if e := at(k); e != nil {
					e.value = v
					return
				}
				for i := unmix(k); i >= uint64(len(all)); {
					all = append(all, entry[uint64]{key: none})
				}
				all[unmix(k)] = entry[uint64]{k, v}
				count++
			},
			get: func(k uint64) (uint64, bool) {
				if e := at(k); e != nil {
					return e.value, true
				}
				return 0, false
			},
			remove: func(k uint64) {
				if e := at(k); e != nil {
					e.key = none
					count--
				}
			},
			len: func() int { return count }, close: nothing, told: told > 0,
			each: func(f func(uint64, uint64) bool) {
				for _, e := range all {
					if e.key != none && !f(e.key, e.value) {
						return
					}
				}
			},
		}
	}}
}

// none is not a key of any experiment: it is generated from a number that is too large.
const none = 1<<64 - 1

// These are the inverses of the factors of mix: in 64-bit arithmetic, a factor times its inverse is
// 1.
var golden, first, second = inverse(0x9e3779b97f4a7c15), inverse(0xbf58476d1ce4e5b9), inverse(0x94d049bb133111eb)

// inverse returns the multiplicative inverse of an odd number in 64-bit arithmetic, by Newton's
// method.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 { // each step doubles the number of correct bits, which is 3 at first
		x *= 2 - odd*x
	}
	return x
}

// unmix returns the number from which mix generated x.
func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * second
	x = (x ^ x>>27 ^ x>>54) * first
	return (x ^ x>>30 ^ x>>60) * golden
}
