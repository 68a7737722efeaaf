package firstroom

import "github.com/coppice-go/coppice/cmd/internal/site"

// A room is how many elements a slice has room for at first, and what that brings.
type room struct {
	n     int
	lists float64 // slices that grow in an operation
	fit   float64 // part of them that need no more
	// What is allocated then, as parts of what was.
	objects, bytes float64
}

const (
	mostMore    = 1.1     // bytes that may be allocated then, and bytes of the final arrays, as parts of those before
	mostObjects = 0.8     // objects that may be left
	mostRoom    = 4 << 10 // bytes of it: the next input may be a small one
)

// choose finds the largest first room that costs next to nothing, out of the sizes of the arrays
// that slices grew through. Each slice began with the smallest array, and each larger one took the
// place of the one before. So how many ended with an array is how many had it, less those that had
// the next one. It is not ok if the sizes do not look like that, or no room helps.
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
	for i, s := range sizes {
		n := s.Bytes / elem
		if s.Bytes > mostRoom {
			break
		}
		left -= ends[i] // slices that need more than this
		r := room{n: int(n), lists: lists, fit: 1 - left/lists}
		nowObjects, nowBytes, nowFinal := lists, lists*float64(s.Bytes), (lists-left)*float64(s.Bytes)
		for j := i + 1; j < len(sizes); j++ {
			nowObjects += sizes[j].Objects
			nowBytes += sizes[j].Objects * float64(sizes[j].Bytes)
			nowFinal += ends[j] * float64(sizes[j].Bytes)
		}
		r.objects, r.bytes = nowObjects/objects, nowBytes/bytes
		if n >= 2 && r.objects <= mostObjects && r.bytes <= mostMore && nowFinal <= mostMore*final {
			best, ok = r, true
		}
	}
	return best, ok
}
