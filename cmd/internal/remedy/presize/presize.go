// Package presize is the remedy that makes a slice at the length that it will have.
package presize

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
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

// removed: growth by doubling takes the final bytes once more in all. Making room at first leaves
// the final array: half of the bytes, and one of several objects.
func removed(*remedy.Program, *site.Site) float64 { return 0.5 }

func knownLength(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Known == "" {
		return nil
	}
	return []string{"append grows the slice, and its final length is known before: " + s.Facts.Known}
}

// fewHolders is how many structs with a slice as a field an operation may make for one scratch
// slice to serve them.
const fewHolders = 10

// growthOfMany is rule 5 for slices that are fields of structs of which there are many: each has a
// slice of its own, which nothing can empty while the struct is in use. What a loop builds is put
// together elsewhere, and copied.
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
