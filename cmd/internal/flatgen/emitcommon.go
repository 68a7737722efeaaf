package flatgen

import (
	"slices"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A commonField is a field that all variants of a sum have, with one name and one type, in the order of the variants. The handle of the sum reads
// it, so that programs need no switch for a position.
type commonField []*Field

// commonFields returns the common fields of variants, in the order of the first one. Lists and optional fields are none, nor are those whose name is taken.
func commonFields(variants []*Struct, taken func(name string) bool) (common []commonField) {
	for _, first := range variants[0].Fields {
		if first.isList() || first.Type.Base == flatlayout.Optional || taken(first.Name) {
			continue
		}
		all := commonField{first}
		for _, v := range variants[1:] {
			at := slices.IndexFunc(v.Fields, func(f *Field) bool {
				return f.Name == first.Name && f.Type.Base == first.Type.Base && f.Type.read() == first.Type.read()
			})
			if at < 0 {
				break
			}
			all = append(all, v.Fields[at])
		}
		if len(all) == len(variants) {
			common = append(common, all)
		}
	}
	return common
}

// common writes an accessor for each common field of a sum.
func (e *emitter) common(sum *Sum) {
	taken := map[string]bool{"Kind": true, "IsNil": true, "String": true, "View": true, "Preorder": true, "Postorder": true, "AsAny": true}
	for _, v := range sum.Variants {
		taken["As"+v.Name] = true
	}
	for _, other := range e.Sums {
		taken["As"+other.Name] = true
	}
	for _, all := range commonFields(sum.Variants, func(name string) bool { return taken[name] }) {
		f := all[0]
		e.comment("%s returns the field of that name, which all variants have. It panics for nil.", f.Name)
		var places cases
		for i, v := range sum.Variants {
			places.add(v, "return "+e.get(all[i]))
		}
		if len(places.code) == 1 {
			e.p("func (n %s) %s() %s { %s }\n", sum.Name, f.Name, f.Type.read(), places.code[0])
			continue
		}
		e.p("func (n %s) %s() %s {\nswitch n.Kind() {", sum.Name, f.Name, f.Type.read())
		rest := places.code[0]
		places.code = places.code[1:]
		places.write(e)
		e.p("}\n%s\n}\n", rest)
	}
}

// common returns the common fields of a handle in C++, and their names.
func (e *cppEmitter) common(variants []*Struct) (common []commonField, names []string) {
	own := []string{"Kind", "Visit", "Preorder"}
	common = commonFields(variants, func(name string) bool { return slices.Contains(own, name) })
	for _, all := range common {
		names = append(names, all[0].Name)
	}
	taken := append(e.asNames(variants), "kind", "visit", "preorder")
	return common, snakes(names, taken...)
}

// commonDeclarations writes the declarations of the accessors.
func (e *cppEmitter) commonDeclarations(variants []*Struct) {
	common, names := e.common(variants)
	for i, all := range common {
		e.p("    // A field that all variants have.\n    %s %s() const;", e.reads(all[0].Type), names[i])
	}
}

// commonBodies writes the bodies of the accessors of a handle.
func (e *cppEmitter) commonBodies(handle string, variants []*Struct) {
	common, names := e.common(variants)
	for i, all := range common {
		var places cases
		for k, v := range variants {
			places.add(v, e.valueCpp(all[k]))
		}
		e.p("inline %s %s::%s() const {", e.reads(all[0].Type), handle, names[i])
		if len(places.code) > 1 {
			e.p("    switch (kind()) {")
			for _, code := range places.code[1:] {
				for k, v := range variants {
					if e.valueCpp(all[k]) == code {
						e.p("        case %s::kind::%s:", e.namespace, cppSafe(v.Name))
					}
				}
				e.p("            return %s;", code)
			}
			e.p("        default: break;\n    }")
		}
		e.p("    return %s;\n}", places.code[0])
	}
}
