package cpp

import (
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// common returns the fields that all variants of a handle have in common, and the names of their
// C++ accessors.
func (e *emitter) common(variants []*schema.Struct) (common []schema.CommonField, names []string) {
	own := []string{"Kind", "Visit", "Preorder"}
	common = schema.CommonFields(variants, func(name string) bool { return slices.Contains(own, name) })
	for _, all := range common {
		names = append(names, all[0].Name)
	}
	taken := append(e.asNames(variants), "kind", "visit", "preorder")
	return common, snakes(names, taken...)
}

// commonDeclarations writes the declarations of a handle's common-field accessors.
func (e *emitter) commonDeclarations(variants []*schema.Struct) {
	common, names := e.common(variants)
	for i, all := range common {
		e.p("    // A field that all variants have.\n    %s %s() const;", e.reads(all[0].Type), names[i])
	}
}

// commonBodies writes the definitions of a handle's common-field accessors.
func (e *emitter) commonBodies(handle string, variants []*schema.Struct) {
	common, names := e.common(variants)
	for i, all := range common {
		var places schema.Cases
		for k, v := range variants {
			places.Add(v, e.value(all[k]))
		}
		e.p("inline %s %s::%s() const {", e.reads(all[0].Type), handle, names[i])
		if len(places.Code) > 1 {
			e.p("    switch (kind()) {")
			for _, code := range places.Code[1:] {
				for k, v := range variants {
					if e.value(all[k]) == code {
						e.p("        case %s::kind::%s:", e.namespace, safe(v.Name))
					}
				}
				e.p("            return %s;", code)
			}
			e.p("        default: break;\n    }")
		}
		e.p("    return %s;\n}", places.Code[0])
	}
}
