// Package store is the remedy that keeps records where the collector does not look.
package store

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
		{Number: 11, Row: 1, Name: "retained, without pointers", Match: record, Do: remedy.Words("store")},
	},
	Subject: remedy.Typed,
	Draft:   draft,
}

func record(p *remedy.Program, s *site.Site) []string {
	why := p.LongLived(s)
	switch {
	case why == nil:
	case s.Facts.Pointers == site.NoPointers:
		return append(why, remedy.Bare(s.Facts.Type)+" has no pointers: a store keeps such records outside of the Go heap")
	case s.Facts.Pointers == site.OwnPointers:
		return append(why, remedy.Bare(s.Facts.Type)+" points to its own type only: in a store these are refs")
	}
	return nil
}
