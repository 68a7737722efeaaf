// Package flat is the remedy that compiles a tree into one buffer without pointers.
package flat

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
		{Number: 11, Row: 2, Name: "retained, recursive", Match: tree, Do: remedy.Words("flat tree")},
	},
	Subject: remedy.Typed,
	Draft:   draft,
}

func tree(p *remedy.Program, s *site.Site) []string {
	why := p.LongLived(s)
	if why == nil || !s.Facts.Recursive {
		return nil
	}
	return append(why, remedy.Bare(s.Facts.Type)+" is recursive, with strings, slices or other types in it: as a flat tree it is one buffer without pointers")
}
