package remedy

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Size is how many bytes an object of the site has on average, as the runtime counts them.
func Size(s *site.Site) float64 {
	if s.Objects <= 0 {
		return float64(s.Facts.Size)
	}
	return s.Bytes / s.Objects
}

// Single are the kinds that make one value.
func Single(k site.Kind) bool { return k == site.Literal || k == site.New || k == site.Moved }

// smallArray is how large an array is, in bytes, for which an object of its own is mostly overhead.
const smallArray = 64

// SmallArray tells whether a site makes small arrays without pointers.
func SmallArray(s *site.Site) bool {
	return s.Facts.Kind == site.MakeSlice && s.Facts.Pointers == site.NoPointers && Size(s) <= smallArray
}

// Distinct is which part of the strings of a site differ, if somebody counted.
func Distinct(s *site.Site) (part float64, ok bool) {
	v := s.Facts.Values
	if v == nil || v.Looked <= 0 {
		return 0, false
	}
	return float64(v.Distinct) / float64(v.Looked), true
}

// What makes retained values worth leaving the Go heap.
const (
	manyLive  = 1e6
	costsMark = 0.15 // of the CPU time
)

// LongLived is what speaks for memory that the collector does not look at, or empty.
func (p *Program) LongLived(s *site.Site) []string {
	if s.Fate.Main() != "retained" || !Single(s.Facts.Kind) {
		return nil
	}
	live := float64(s.InUse)
	if s.Fate.Method == site.Little && p.Unit != "profile" { // whose objects are those of no time
		live = max(live, s.Fate.Age*s.Objects)
	}
	switch mark := p.Classes.Mark + p.Classes.Assist; {
	case live > manyLive:
		return []string{p.Lifetimes(s), fmt.Sprintf("about %s of them are live at a time, and each collection scans all of them", Number(live))}
	case mark > costsMark:
		return []string{p.Lifetimes(s), fmt.Sprintf("marking takes %s of the CPU time", Percent(mark))}
	}
	return nil
}
