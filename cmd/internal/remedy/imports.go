package remedy

import (
	"fmt"
	"go/version"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// An Import describes what a change imports from Coppice.
type Import struct {
	What    string // pool.Pool; empty for nothing
	Instead string // an alternative without a requirement; empty if there is none
}

// Uses returns a function for Remedy.Imports that always returns the same Import.
func Uses(what, instead string) func(*Program, *site.Site) Import {
	return func(*Program, *site.Site) Import { return Import{what, instead} }
}

// Requirement describes what an import from Coppice requires of the module. It returns "" if the
// import requires nothing.
func (p *Program) Requirement(i Import) string {
	m := p.Module
	if i.What == "" || m.Library {
		return ""
	}
	text := i.What + " requires Coppice"
	switch {
	case m.Go != "" && m.Needs != "" && version.Compare("go"+m.Go, "go"+m.Needs) < 0:
		text += fmt.Sprintf(", which raises go %s in go.mod to go %s", m.Go, m.Needs)
	case m.Go == "" && m.Needs != "":
		text += fmt.Sprintf(", and go %s or later in go.mod", m.Needs)
	}
	if i.Instead != "" {
		text += " (" + i.Instead + ")"
	}
	return text
}
