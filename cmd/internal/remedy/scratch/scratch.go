// Package scratch is the remedy that grows a slice in memory that is kept, and copies what is held.
package scratch

import (
	_ "embed"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 5, Row: 4, Name: "growth to an unknown length", Match: growth, Do: scratchWords},
	},
	Subject: remedy.Local,
	ByFate:  true,
	Holds:   (*remedy.Program).OwnerHolds,
	Make:    scratch,
}

func growth(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Append || s.Fate.Main() == "retained" {
		return nil
	}
	why := []string{"append grows the slice, and its final length is not known in advance"}
	switch s.Fate.Main() {
	case "unknown":
	case "temporary":
		why = append(why, p.Lifetimes(s), "a slice that is emptied and kept (s = s[:0]) grows once")
	default:
		why = append(why, p.Lifetimes(s), "what it grew from is garbage; a scratch slice that is kept grows once, and what is held is copied at its length")
	}
	return why
}

func scratchWords(_ *remedy.Program, s *site.Site) string {
	if s.Fate.Main() == "temporary" {
		return "scratch slice"
	}
	return "scratch + slab.Make"
}
