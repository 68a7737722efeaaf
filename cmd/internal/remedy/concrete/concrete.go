// Package concrete is the remedy that passes a value by its type, where an interface took a copy.
package concrete

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
		{Number: 12, Name: "a value in an interface", Match: boxed, Do: remedy.Words("concrete type")},
	},
	Subject: remedy.Typed,
}

func boxed(p *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.Box {
		return nil
	}
	why := []string{"a value that goes into an interface is copied to the Go heap"}
	if s.Facts.Type != "" {
		why = append(why, fmt.Sprintf("with a parameter of type %s, a type parameter or a pointer nothing is copied", remedy.Bare(s.Facts.Type)))
	}
	return why
}
