// Package intern is the remedy that keeps one of each of equal strings.
package intern

import (
	_ "embed"
	"fmt"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Files, from top to bottom:
//
//	intern.go  the rule of coppice find
//	make.go    the maker: owners, and what speaks against a place
//	text.go    the table, as it is written

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 6, Row: 1, Name: "strings that repeat", Match: repeats, Do: remedy.Words("intern")},
	},
	Removed: removed,
	Make:    one,
}

// removed: the first of each string is still made.
func removed(_ *remedy.Program, s *site.Site) float64 {
	part, _ := remedy.Distinct(s)
	return 1 - part
}

// repeated is the part of strings that differ below which a table of them pays.
const repeated = 0.5

func repeats(p *remedy.Program, s *site.Site) []string {
	part, ok := remedy.Distinct(s)
	if s.Facts.Kind != site.ToString || !ok || part >= repeated {
		return nil
	}
	v := s.Facts.Values
	return []string{fmt.Sprintf("of %d strings %d differ: a table hands out the rest", v.Looked, v.Distinct), p.Lifetimes(s)}
}
