package flat

import (
	"fmt"
	"go/types"
	"go/version"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/scaffold"
)

// qualified returns a schema type with the name of the schema's package, for use in the user's
// package.
func (s *schema) qualified(typ string) string {
	rest := strings.TrimLeft(typ, "*[]0123456789")
	if types.Universe.Lookup(rest) != nil {
		return typ
	}
	return strings.TrimSuffix(typ, rest) + s.name + "." + rest
}

// converter returns the source of a file. Its functions copy values of the user's package to values
// of the schema.
func (s *schema) converter() string {
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	anything := "any"
	if version.Compare(s.Language, "go1.18") < 0 { // the file is written before the module requires the library, which needs a newer version
		anything = "interface{}"
	}
	root, converter := s.Object.Name(), scaffold.Lower(s.Object.Name())+"Converter"
	write("package %s\n\nimport (\n\t\"fmt\"\n\n\t%q\n)\n\n", s.Package.Name, s.Package.PkgPath+"/"+s.name)
	from, to, method := "*"+root, "", ""
	for _, r := range s.records {
		if r.object == s.Object {
			to, method = "*"+s.name+"."+r.name, "to"+r.name
		}
	}
	for _, u := range s.sums {
		if u.object == s.Object {
			from, to, method = root, s.name+"."+u.name, "to"+u.name
		}
	}
	write("// %sTree copies a tree for FromTree of package %sflat. It returns an error if a value has two parents.\nfunc %sTree(root %s) (%s, error) {\n", scaffold.Lower(root), s.name, scaffold.Lower(root), from, to)
	write("\tc := %s{seen: map[%s]bool{}}\n\tvalue := c.%s(root)\n\treturn value, c.err\n}\n\n", converter, anything, method)
	write("// %s copies each value once.\ntype %s struct {\n\tseen map[%s]bool\n\terr error\n}\n\n", converter, converter, anything)
	write("// again records a value, and reports whether it was recorded before.\nfunc (c *%s) again(value %s) bool {\n\tif c.seen[value] {\n\t\tc.err = fmt.Errorf(\"a %%T has two parents or is its own ancestor\", value)\n\t\treturn true\n\t}\n\tc.seen[value] = true\n\treturn false\n}\n", converter, anything)
	for _, r := range s.records {
		again := " || c.again(from)"
		if s.Package.TypesSizes.Sizeof(r.object.Type()) == 0 {
			again = "" // values of size zero may share an address
		}
		write("\nfunc (c *%s) to%s(from *%s) *%s.%s {\n\tif from == nil%s {\n\t\treturn nil\n\t}\n\tto := new(%s.%s)\n", converter, r.name, r.object.Name(), s.name, r.name, again, s.name, r.name)
		for _, f := range r.fields {
			write("%s", f.convert("from."+f.from, "to."+f.name))
		}
		write("\treturn to\n}\n")
	}
	for _, u := range s.sums {
		write("\nfunc (c *%s) to%s(from %s) %s.%s {\n\tswitch from := from.(type) {\n\tcase nil:\n", converter, u.name, u.object.Name(), s.name, u.name)
		for _, v := range u.variants {
			write("\tcase *%s:\n\t\tif to := c.to%s(from); to != nil {\n\t\t\treturn to\n\t\t}\n", v.object.Name(), v.name)
			if v.value {
				write("\tcase %s:\n\t\treturn c.to%s(&from)\n", v.object.Name(), v.name)
			}
		}
		write("\tdefault:\n\t\tc.err = fmt.Errorf(\"a %%T has no place in the schema\", from)\n\t}\n\treturn nil\n}\n")
	}
	return b.String()
}
