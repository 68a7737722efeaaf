// Package inline is the remedy that keeps a few elements inside the struct that contains the slice:
//
//	type Node struct{ edges []*Node }
//	n.edges = append(n.edges, e)
//
// becomes
//
//	type Node struct{ edges inline.Vec[*Node, [4]*Node] }
//	n.edges.Append(e)
//
// An array of constant length becomes a field of array type:
//
//	b := &Box{corner: make([]float64, 3)}
//
// becomes
//
//	b := &Box{} // with a field corner [3]float64
//
// Most such slices never need a separate array. The price is that each struct is larger, whether
// the elements are used or not, and that a copy of the struct copies the elements.
//
// This remedy is advice, because it changes the type of a field and so each use of the field.
package inline

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy contains the documentation and the rules of the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 3, Row: 2, Name: "a small array of fixed length", Match: fixedArray, Do: remedy.Words("array in struct")},
		{Number: 5, Row: 1, Name: "growth to a few values", Match: shortGrowth, Do: remedy.Words("inline.Vec")},
	},
	Subject: remedy.Local,
	Imports: imports,
}

func imports(p *remedy.Program, s *site.Site) remedy.Import {
	if s.Facts.Kind != site.Append { // the remedy is a plain array field
		return remedy.Import{}
	}
	return remedy.Import{What: "inline.Vec", Instead: "an array field and a count need no dependency"}
}

func fixedArray(p *remedy.Program, s *site.Site) []string {
	if !remedy.SmallArray(s) || s.Facts.Length <= 0 || s.Fate.Main() == "temporary" && p.Keeper(s) != nil { // an owner that can keep the array can reuse it
		return nil
	}
	return []string{fmt.Sprintf("an array of %d %s is made by itself; as a field [%d]%s it costs nothing", s.Facts.Length, remedy.Bare(s.Facts.Type), s.Facts.Length, remedy.Bare(s.Facts.Type))}
}

const (
	// few is the number of values that fit in the inline.Vec, and fewBytes is the maximum number
	// of bytes that they may add to the struct.
	few      = 4
	fewBytes = 64
	// vecGrows is the number of bytes by which an inline.Vec without elements is larger than a
	// slice on 64-bit machines: it has four words, and a slice has three.
	vecGrows = 8
	// fewGrowths is the mean array capacity of a slice that grows to four values. The capacities
	// are 1, 2 and 4.
	fewGrowths = (1 + 2 + 4) / 3.0
)

// shortGrowth implements rule 5 for slices that are fields of a struct and rarely have more than
// four values (see few).
func shortGrowth(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Facts.Grows == nil || s.Facts.Size <= 0 || few*s.Facts.Size > fewBytes || s.Objects <= 0 {
		return nil
	}
	mean := remedy.Size(s) / float64(s.Facts.Size)
	if fate := s.Fate.Main(); fate == "temporary" || fate == "unknown" || mean > fewGrowths {
		return nil
	}
	return []string{
		fmt.Sprintf("append grows the slice to %s %s on average: few have more than %d", remedy.Number(mean), remedy.Bare(s.Facts.Type), few),
		fmt.Sprintf("inline.Vec holds %d in the struct, which grows by %d bytes, used or not; more than 5 %% more bytes per operation are a loss for coppice prove", few, vecGrows+few*s.Facts.Size),
	}
}
