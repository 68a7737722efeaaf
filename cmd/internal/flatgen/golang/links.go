package golang

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// linkTypes returns the names of all sums and records that are the target type of a link. Each name
// occurs once.
func (e *emitter) linkTypes() (names []string) {
	for _, s := range slices.Concat(e.Records[1:], e.Structs) {
		for _, f := range s.Fields {
			if t := f.Type.InnermostValue(); t.Base == flatlayout.Link && !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

func (e *emitter) hasLinks() bool { return len(e.linkTypes()) > 0 }

// isLinked reports whether a link can point to the struct.
func (e *emitter) isLinked(s *schema.Struct) bool {
	return s.Kind > 0 && slices.ContainsFunc(e.linkTypes(), func(name string) bool { return slices.Contains(e.Schema.KindsOf(name), s.Kind) })
}

// fromLinks writes the methods that convert pointers to links.
func (e *emitter) fromLinks() {
	for _, name := range e.linkTypes() {
		if e.Schema.SumOf(name) == nil {
			e.p("func (c *fromTree) link%[1]s(x *%[2]s.%[1]s) %[1]s {\nif x == nil {\nreturn %[1]s{}\n}", name, e.Import)
			e.p("return %s{node: c.Promise(x)}\n}\n", name)
			continue
		}
		e.p("func (c *fromTree) link%[1]s(x %[2]s.%[1]s) %[1]s {\nswitch x := x.(type) {", name, e.Import)
		for _, kind := range e.Schema.KindsOf(name) {
			v := e.Records[kind]
			e.p("case *%s.%s:\nif x != nil {\nreturn %s{node: c.Promise(x)}\n}", e.Import, v.Name, name)
			if v.Value {
				e.p("case %s.%s:\nc.NoLink(x)", e.Import, v.Name)
			}
		}
		e.p("}\nreturn %s{}\n}\n", name)
	}
}
