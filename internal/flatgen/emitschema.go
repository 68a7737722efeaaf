package flatgen

import "strings"

// schema writes the package's comment, the schema text, the kinds, and what fails to compile
// when the schema has changed.
func (e *emitter) schema() {
	e.doc = "// Package " + e.name + " holds trees of the types of package " + e.Package + " in one buffer without pointers.\n" +
		"// docs/FLAT.md of the module github.com/coppice-go/coppice explains such packages.\n"
	e.comment("schemaText is the schema, which files carry.")
	e.p("const schemaText = %s", quoteText(e.Schema.Text()))
	for i, text := range e.Earlier {
		e.p("")
		e.comment("earlierText%d is an earlier version, whose files load too.", i)
		e.p("const earlierText%d = %s", i, quoteText(text))
	}
	e.p("")
	e.comment("If this does not compile, another version of coppice flat wrote this package: run coppice flat again.")
	e.p("var schema = flat.NewSchema(flat.Generation2(%q), schemaText%s)", e.name, e.earlierNames())
	e.p("")
	e.comment("A Kind says which variant a node is.")
	e.p("type Kind uint8\n")
	e.comment("The kinds, in the order of declaration.")
	e.p("const (")
	e.p("KindNil Kind = iota // no node")
	for _, v := range e.Records[1:] {
		e.p("Kind%s", v.Name)
	}
	e.p(")\n")
	e.p("var kindNames = [...]string{\"nil\",")
	for _, v := range e.Records[1:] {
		e.p("%q,", v.Name)
	}
	e.p("}\n")
	e.comment("String returns the name of the variant.")
	e.p("func (k Kind) String() string {")
	e.p("if int(k) < len(kindNames) {\nreturn kindNames[k]\n}")
	e.p("return \"no kind\"\n}\n")
	e.assertions()
}

func (e *emitter) earlierNames() string {
	var b strings.Builder
	for i := range e.Earlier {
		b.WriteString(", earlierText")
		b.WriteString(itoa(i))
	}
	return b.String()
}

// assertions are conversions between equal struct types.
func (e *emitter) assertions() {
	e.comment("If these do not compile, package %s has changed: run coppice flat again.", e.Package)
	e.p("var (")
	for _, v := range append(append([]*Struct{}, e.Records[1:]...), e.Structs...) {
		if len(v.Fields) == 0 {
			e.p("_ = struct{}(%s.%s{})", e.Package, v.Name)
		} else {
			e.p("_ = struct {")
			for _, f := range v.Fields {
				e.p("%s %s", f.Name, f.Type.Go)
			}
			e.p("}(%s.%s{})", e.Package, v.Name)
		}
		for _, sum := range v.Sums {
			e.p("_ %s.%s = (*%s.%s)(nil)", e.Package, sum.Name, e.Package, v.Name)
		}
	}
	e.p(")")
}

// quoteText writes schema text as a raw string; it has no backquote.
func quoteText(text string) string { return "`" + text + "`" }
