package schema

import (
	"slices"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A CommonField is a field that has the same name and type in all variants of a sum. It contains
// the Field of each variant, in the order of the variants. The handle of the sum has an accessor
// for it, so that programs can read, for example, a source position without a type switch.
type CommonField []*Field

// CommonFields returns the fields that all variants have in common, in the field order of the first
// variant. It omits lists, optional fields, and fields for whose names taken returns true.
func CommonFields(variants []*Struct, taken func(name string) bool) (common []CommonField) {
	for _, first := range variants[0].Fields {
		if first.IsList() || first.Type.Base == flatlayout.Optional || taken(first.Name) {
			continue
		}
		all := CommonField{first}
		for _, v := range variants[1:] {
			at := slices.IndexFunc(v.Fields, func(f *Field) bool {
				return f.Name == first.Name && f.Type.Base == first.Type.Base && f.Type.Read() == first.Type.Read()
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

// A Cases collects the cases of a generated switch on the kind. Kinds with identical code share a
// case.
type Cases struct {
	Code  []string
	Kinds map[string][]string // kinds by code
}

// Add adds a case with the given code for a variant.
func (c *Cases) Add(s *Struct, code string) {
	if c.Kinds == nil {
		c.Kinds = map[string][]string{}
	}
	if c.Kinds[code] == nil {
		c.Code = append(c.Code, code)
	}
	c.Kinds[code] = append(c.Kinds[code], "Kind"+s.Name)
}
