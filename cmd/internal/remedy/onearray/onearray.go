// Package onearray is the remedy that cuts several small slices from one array:
//
//	low := make([]float64, dim)
//	high := make([]float64, dim)
//
// becomes
//
//	both := make([]float64, 2*dim)
//	low := both[:dim:dim]
//	high := both[dim:]
//
// For a small slice, the call to malloc costs more than the memory, and one call replaces several.
// The third index limits the capacity. Without this limit, an append to low would overwrite high.
//
// The maker leaves slices unchanged if
//
//   - their elements have pointers: one live slice would retain the values to which the other
//     slices point;
//   - a length may change between the two calls to make, or an expression between them may panic
//     and the panic may be recovered;
//   - the lengths differ and one of them may be negative: the message of the panic would change;
//   - one slice is allocated only conditionally.
package onearray

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules and the maker of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 3, Row: 1, Name: "small arrays side by side", Match: sideBySide, Do: remedy.Words("one backing array")},
	},
	Removed: removed,
	Subject: subject,
	Make:    oneArray,
	Guard:   guard,
}

// removed returns the fraction of the objects that are removed, given that one of n objects
// remains. In rtreego, allocating two slices with one make halved the time that malloc took for
// them.
func removed(p *remedy.Program, s *site.Site) float64 {
	return 1 - 1/float64(max(2, makes(group(p, s))))
}

// subject returns a key for a group of arrays. The key contains the group's ordinal in the function
// instead of its line, because other edits change line numbers.
func subject(p *remedy.Program, s *site.Site) string {
	first := s.Line
	for _, other := range group(p, s) {
		first = min(first, other.Line)
	}
	return fmt.Sprintf("%s %d", s.Function, ordinal(p, s, first))
}

// ordinal returns the number of lines before the given line, in the same function, that allocate
// small arrays.
func ordinal(p *remedy.Program, s *site.Site, before int) (n int) {
	seen := map[int]bool{}
	for _, other := range p.Sites {
		if other.File == s.File && other.Function == s.Function && other.Remedy == s.Remedy && other.Line < before && !seen[other.Line] {
			seen[other.Line] = true
			n++
		}
	}
	return n
}

// sideBySide implements rule 3 for small arrays that are allocated side by side.
func sideBySide(p *remedy.Program, s *site.Site) []string {
	group := group(p, s)
	if makes(group) < 2 {
		return nil
	}
	return []string{
		fmt.Sprintf("%d small arrays of %s without pointers are made side by side, equally often", makes(group), remedy.Bare(s.Facts.Type)),
		"one array has room for all: a[:n:n] and a[n:] are slices of it",
	}
}

// line identifies a line of source code.
type line struct {
	file string
	line int
}

// byLine returns the sites of the program, grouped by line.
func byLine(p *remedy.Program) map[line][]*site.Site {
	return remedy.Known(p, line{}, func() map[line][]*site.Site {
		all := map[line][]*site.Site{}
		for _, s := range p.Sites {
			at := line{s.File, s.Line}
			all[at] = append(all[at], s)
		}
		return all
	})
}

// group returns the sites of small arrays that are allocated beside the given site, including that
// site.
func group(p *remedy.Program, s *site.Site) (all []*site.Site) {
	if !remedy.SmallArray(s) || len(s.Facts.Beside) == 0 {
		return nil
	}
	lines := append([]int{s.Line}, s.Facts.Beside...)
	seen := map[int]bool{}
	for _, n := range lines {
		if seen[n] {
			continue
		}
		seen[n] = true
		for _, other := range byLine(p)[line{s.File, n}] {
			if other == s || remedy.SmallArray(other) && other.Function == s.Function && other.Facts.Type == s.Facts.Type &&
				other.Fate.Main() == s.Fate.Main() && sameCount(other.Objects, s.Objects) {
				all = append(all, other)
			}
		}
	}
	return all
}

// makes returns the number of arrays in a group. If a line contains several calls to make, the
// line's site includes all of them.
func makes(group []*site.Site) (n int) {
	for _, s := range group {
		n++
		for _, l := range s.Facts.Beside {
			if l == s.Line {
				n++
			}
		}
	}
	return n
}

// sameCount reports whether two sites run equally often, given their numbers of objects. If a line
// contains two calls to make, its site has twice as many objects.
func sameCount(a, b float64) bool {
	const noise = 1.1 // counts in a sampled profile are not exact
	a, b = min(a, b), max(a, b)
	return b <= a*noise || b >= a*2/noise && b <= a*2*noise
}
