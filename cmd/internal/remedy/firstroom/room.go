package firstroom

import "github.com/coppice-go/coppice/cmd/internal/site"

// A room describes a possible first capacity of slices, and its effect on their allocations.
type room struct {
	n     int
	lists float64 // number of slices that grow in an operation
	fit   float64 // fraction of these slices that need no larger capacity
	most  int     // final capacity of the longest of these slices
	// These are the remaining allocations, as fractions of the objects and bytes without the first
	// capacity.
	objects, bytes float64
}

const (
	mostMore    = 1.1     // limit for allocated bytes, and for bytes of final arrays, relative to before
	mostObjects = 0.8     // limit for objects, relative to before: a smaller gain is not worth a line of code
	mostRoom    = 4 << 10 // limit for the capacity in bytes, because the next input may be small
	// fullRoom is used instead of mostRoom if nearly none of the lists fit in mostRoom, and nearly
	// all fit in a larger capacity.
	fullRoom = 32 << 10
)

// nearlyNone and nearlyAll are fractions of the lists. At most the fraction nearlyNone is treated
// as nearly none of the lists, and at least the fraction nearlyAll is treated as nearly all.
const nearlyNone, nearlyAll = 0.01, 0.9

// choose returns the largest first capacity that costs almost no memory, given the sizes of the
// arrays that slices had while they grew.
//
// Each slice started with the smallest array, and each larger array replaced the one before. So the
// number of slices that ended with an array of one size is the number of slices that had such an
// array, minus the number of slices that had an array of the next size. ok is false if the sizes
// contradict this, or if no capacity helps. Two limits bound the memory. A limit on the total alone
// is not enough. A large capacity may lower the total, because slices no longer grow, while the
// arrays that remain alive become larger.
func choose(sizes []site.Size, elem int64) (best room, ok bool) {
	if len(sizes) < 2 || elem <= 0 {
		return room{}, false
	}
	var objects, bytes, final float64
	ends := make([]float64, len(sizes))
	for i, s := range sizes {
		objects += s.Objects
		bytes += s.Objects * float64(s.Bytes)
		ends[i] = s.Objects
		if i+1 < len(sizes) {
			ends[i] -= sizes[i+1].Objects
		}
		if ends[i] < -s.Objects/100 {
			return room{}, false
		}
		final += ends[i] * float64(s.Bytes)
	}
	lists, left := sizes[0].Objects, sizes[0].Objects
	longest := int(sizes[len(sizes)-1].Bytes / elem)
	for i, s := range sizes {
		n := s.Bytes / elem
		large := s.Bytes > mostRoom
		if s.Bytes > fullRoom || large && (!ok || best.fit > nearlyNone) {
			break
		}
		left -= ends[i] // the remaining slices need a larger capacity
		r := room{n: int(n), lists: lists, fit: 1 - left/lists, most: longest}
		nowObjects, nowBytes, nowFinal := lists, lists*float64(s.Bytes), (lists-left)*float64(s.Bytes)
		for j := i + 1; j < len(sizes); j++ {
			nowObjects += sizes[j].Objects
			nowBytes += sizes[j].Objects * float64(sizes[j].Bytes)
			nowFinal += ends[j] * float64(sizes[j].Bytes)
		}
		r.objects, r.bytes = nowObjects/objects, nowBytes/bytes
		if large && r.fit < nearlyAll {
			continue
		}
		if n >= 2 && r.objects <= mostObjects && r.bytes <= mostMore && nowFinal <= mostMore*final {
			best, ok = r, true
		}
	}
	return best, ok
}
