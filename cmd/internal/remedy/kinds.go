package remedy

import (
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Size returns the mean size in bytes of the objects that a site allocates, after rounding to the
// runtime's size classes.
func Size(s *site.Site) float64 {
	if s.Objects <= 0 {
		return float64(s.Facts.Size)
	}
	return s.Bytes / s.Objects
}

// Single reports whether sites of kind k allocate one value at a time.
func Single(k site.Kind) bool { return k == site.Literal || k == site.New || k == site.Moved }

// smallArray is the maximum size of a small array, in bytes. For an array of at most this size, the
// call to malloc costs more than the memory itself.
const smallArray = 64

// SmallArray reports whether a site allocates small arrays without pointers.
func SmallArray(s *site.Site) bool {
	return s.Facts.Kind == site.MakeSlice && s.Facts.Pointers == site.NoPointers && Size(s) <= smallArray
}

// Distinct returns the fraction of a site's strings that are distinct. ok is false if distinct
// strings were not counted.
func Distinct(s *site.Site) (part float64, ok bool) {
	v := s.Facts.Values
	if v == nil || v.Looked <= 0 {
		return 0, false
	}
	return float64(v.Distinct) / float64(v.Looked), true
}

// Retained values are worth moving out of the Go heap if one of these thresholds is exceeded.
const (
	manyLive  = 1e6
	costsMark = 0.15 // of the CPU time
)

// LongLived returns the reasons to move values to memory that the collector does not scan, or none
// if they should stay in the Go heap. The reasons may be that many values are live, or that marking
// takes a large share of the CPU time. A few large values cost the collector little, and a store
// complicates their use.
func (p *Program) LongLived(s *site.Site) []string {
	if s.Fate.Main() != "retained" || !Single(s.Facts.Kind) {
		return nil
	}
	live := float64(s.InUse)
	if s.Fate.Method == site.Little && p.Unit != "profile" { // a profile has no unit of time
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
