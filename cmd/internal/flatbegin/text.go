package flatbegin

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// begun is the first line of each file that the command writes, by which a later run recognizes the
// file.
const begun = "// Drafted by coppice flat begin, for you to edit. With -again, it is overwritten.\n\n"

// schemaText returns the source of the schema.
func (p *plan) schemaText() string {
	var b strings.Builder
	root := ""
	if p.first != nil {
		root = p.first.name
	} else {
		root = p.sum.name
	}
	fmt.Fprintf(&b, "%s// Package %s declares the trees of %s.%s as coppice flat reads them.\n//\n//flat:root %s\n", begun, p.name, p.pkg.Name, p.root.Name(), root)
	if p.o.Share {
		b.WriteString("//flat:share\n")
	}
	fmt.Fprintf(&b, "package %s\n\n//go:generate go tool coppice flat\n", p.name)
	for _, u := range p.sums {
		fmt.Fprintf(&b, "\n// %s corresponds to %s.%s.\n//\n//flat:sum\ntype %s interface{ is%s() }\n", u.name, u.object.Pkg().Name(), u.object.Name(), u.name, u.name)
	}
	for _, r := range p.records {
		if r.object == nil {
			fmt.Fprintf(&b, "\n// %s is an item of %s.\ntype %s struct {\n", r.name, r.fields[0].full, r.name)
		} else {
			fmt.Fprintf(&b, "\n// %s has fields of %s.%s.\ntype %s struct {\n", r.name, r.object.Pkg().Name(), r.object.Name(), r.name)
		}
		for _, f := range r.fields {
			fmt.Fprintf(&b, "\t%s %s%s\n", f.name, f.shape.schemaType(), f.tag())
		}
		b.WriteString("}\n\n")
		for _, u := range r.sums {
			fmt.Fprintf(&b, "func (*%s) is%s() {}\n", r.name, u.name)
		}
	}
	return b.String()
}

// tag returns the struct tag of a field in the schema, with a leading space, or "" if the field has
// none.
func (f *field) tag() string {
	switch {
	case f.link:
		return " `flat:\"ref\"`"
	case f.bits > 0:
		return fmt.Sprintf(" `flat:\"bits=%d\"`", f.bits)
	case f.intern:
		return " `flat:\"intern\"`"
	}
	return ""
}

// bind sets the model of each record. m is the model of the schema, which coppice flat has read.
func (p *plan) bind(m *schema.Model) {
	models := map[string]*schema.Struct{}
	for _, s := range m.Records[1:] {
		models[s.Name] = s
	}
	for _, s := range m.Structs {
		models[s.Name] = s
	}
	for _, r := range p.records {
		r.model = models[r.name]
	}
}

// node reports whether values of the struct are separate nodes of the tree rather than parts of
// other nodes.
func (r *record) node() bool { return r.model != nil && r.model.Kind > 0 }

// model returns the model of a field.
func (f *field) model() *schema.Field {
	for _, m := range f.of.model.Fields {
		if m.Name == f.name {
			return m
		}
	}
	return nil
}

// accessor returns the name of the accessor that returns one item of a list field.
func (f *field) accessor() string { return f.of.model.Methods(f.model()).One }
