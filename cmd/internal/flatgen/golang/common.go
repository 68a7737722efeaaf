package golang

import (
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// common writes an accessor for each common field of a sum.
func (e *emitter) common(sum *schema.Sum) {
	taken := map[string]bool{"Kind": true, "IsNil": true, "String": true, "View": true, "Preorder": true, "Postorder": true, "AsAny": true}
	for _, v := range sum.Variants {
		taken["As"+v.Name] = true
	}
	for _, other := range e.Sums {
		taken["As"+other.Name] = true
	}
	for _, all := range schema.CommonFields(sum.Variants, func(name string) bool { return taken[name] }) {
		f := all[0]
		e.comment("%s returns the %s field, which all variants have. It panics for nil.", f.Name, f.Name)
		var places schema.Cases
		for i, v := range sum.Variants {
			places.Add(v, "return "+e.get(all[i]))
		}
		if len(places.Code) == 1 {
			e.p("func (n %s) %s() %s { %s }\n", sum.Name, f.Name, f.Type.Read(), places.Code[0])
			continue
		}
		e.p("func (n %s) %s() %s {\nswitch n.Kind() {", sum.Name, f.Name, f.Type.Read())
		rest := places.Code[0]
		places.Code = places.Code[1:]
		e.cases(places)
		e.p("}\n%s\n}\n", rest)
	}
}
