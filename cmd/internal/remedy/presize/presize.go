// Package presize is the remedy that allocates the final capacity of a slice before the loop that
// fills it:
//
//	var all []string
//	for _, m := range members {
//		all = append(all, m.Name)
//	}
//
// becomes
//
//	var all []string
//	all = slices.Grow(all, len(members))
//	for _, m := range members {
//		all = append(all, m.Name)
//	}
//
// For Go versions before 1.21, the inserted line is "all = make([]string, 0, len(members))". It is
// inside an if statement, so that an empty result remains nil.
//
// A slice that grows by doubling allocates about twice its final size and copies its elements
// several times. slices.Grow changes only the capacity: a nil slice that gets no elements remains
// nil, which encoding/json and comparisons with nil can observe.
//
// Package slicegrowth finds the loop and the count. The maker leaves the loop unchanged if
//
//   - other code can observe the slice while it grows, or after a recovered panic;
//   - the loop may end early or append fewer elements, and the capacity would be large;
//   - the loop begins with a call, so that the count is not known before the loop.
package presize

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation, the rules, the maker and the guard of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 4, Name: "growth to a known length", Match: knownLength, Do: remedy.Words("presize")},
		{Number: 5, Row: 3, Name: "growth in each of many structs", Match: growthOfMany, Do: remedy.Words("presize")},
	},
	Removed: removed,
	Subject: remedy.Local,
	Make:    presize,
	Guard:   guard,
}

// removed returns 0.5. All arrays of a slice that grows by doubling together have about twice as
// many bytes as the last array, and only an array of that size remains. The number of objects
// decreases by more than half, but large arrays dominate the time.
func removed(*remedy.Program, *site.Site) float64 { return 0.5 }

func knownLength(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Known == "" {
		return nil
	}
	return []string{"append grows the slice, and its final length is known beforehand: " + s.Facts.Known}
}

// fewHolders is the maximum number of structs with a slice field, created in one operation, for
// which scratch space is considered.
const fewHolders = 10

// growthOfMany implements rule 5 for slice fields of many structs. Each struct has its own slice
// and keeps it while the struct is in use, so the slices cannot share scratch space. A slice that a
// loop builds is a different case: it can be built in scratch space and then copied.
func growthOfMany(p *remedy.Program, s *site.Site) []string {
	g := s.Facts.Grows
	if s.Facts.Kind != site.Append || g == nil || s.Facts.Loop || g.Instances <= fewHolders || s.Fate.Main() == "retained" {
		return nil
	}
	return []string{
		fmt.Sprintf("each of %s %s has a slice of its own (%s), which grows %s times on average", remedy.Number(g.Instances), remedy.Bare(g.Type), g.How, remedy.Number(s.Objects/g.Instances)),
		p.Lifetimes(s),
		"what it grew from is garbage: where a limit or a usual length is known, make room for so many at first",
	}
}
