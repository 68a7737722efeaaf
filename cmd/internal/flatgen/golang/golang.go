// Package golang generates the Go package of a schema. The package has several files, each with one
// group of declarations.
package golang

import (
	"bytes"
	"fmt"
	"go/format"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// Emit returns the generated files for a model. name is the name of the generated package.
func Emit(m *schema.Model, name string) ([]schema.File, error) {
	var files []schema.File
	for _, one := range []struct {
		name string
		emit func(*emitter)
	}{
		{"zschema.go", (*emitter).schema},
		{"ztree.go", (*emitter).tree},
		{"zwalk.go", (*emitter).walks},
		{"ztables.go", (*emitter).sideTables},
		{"zsums.go", (*emitter).sums},
		{"zviews.go", (*emitter).views},
		{"zswitches_unsafe.go", (*emitter).switches},
		{"zbuilder.go", (*emitter).builder},
		{"zrewrite.go", (*emitter).rewriter},
		{"zfromtree.go", (*emitter).fromTree},
		{"ztotree.go", (*emitter).toTree},
		{"zroundtrip_test.go", (*emitter).test},
	} {
		e := &emitter{Model: m, name: name, imports: map[string]bool{}, eachItem: map[string]*schema.Type{}, named: map[string]bool{}}
		one.emit(e)
		data, err := e.file()
		if err != nil {
			return nil, fmt.Errorf("flatgen: %s does not parse: %w", one.name, err)
		}
		files = append(files, schema.File{Name: one.name, Data: data})
	}
	return files, nil
}

// An emitter generates one file of the package.
type emitter struct {
	*schema.Model
	name     string
	doc      string // package comment
	imports  map[string]bool
	body     bytes.Buffer
	eachItem map[string]*schema.Type // item types for which the method iterators writes a function
	named    map[string]bool         // function names that unique has returned
	place    string                  // what a value that is out of range is said to be: "everyflat.Builder.Null: Line"
}

// p writes a line. If there are args, the line is formatted as by fmt.Sprintf.
func (e *emitter) p(line string, args ...any) {
	if len(args) > 0 {
		line = fmt.Sprintf(line, args...)
	}
	e.body.WriteString(line)
	e.body.WriteByte('\n')
}

// file returns the contents of the file: the package clause, the necessary imports and the body,
// formatted by gofmt.
func (e *emitter) file() ([]byte, error) {
	var all bytes.Buffer
	all.WriteString(schema.Mark + "\n" + e.doc + "package " + e.name + "\n\n")
	body := e.body.String()
	code := withoutComments(body)
	var standard, other []string
	for _, path := range []string{"io", "math", "testing", "unsafe"} {
		if e.imports[path] {
			standard = append(standard, path)
		}
	}
	for _, one := range []struct{ name, path string }{
		{"flat", schema.FlatPackage}, {"flatimpl", schema.ImplPackage}, {e.Import, e.Path},
	} {
		if mentions(code, one.name) {
			other = append(other, one.path)
		}
	}
	slices.Sort(other)
	all.WriteString("import (\n")
	for _, path := range standard {
		fmt.Fprintf(&all, "%q\n", path)
	}
	all.WriteString("\n")
	for _, path := range other {
		if path == e.Path && e.Import != e.Package {
			all.WriteString(e.Import + " ")
		}
		fmt.Fprintf(&all, "%q\n", path)
	}
	all.WriteString(")\n\n" + body)
	return format.Source(all.Bytes())
}

// withoutComments returns code without its comment lines.
func withoutComments(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// mentions reports whether code refers to an exported identifier of the package with the given
// name.
func mentions(code, name string) bool {
	return regexp.MustCompile(`(^|[^\w.])` + name + `\.[A-Z]`).MatchString(code)
}

// unique returns a function name that is not yet used in the file, by adding underscores to name.
// Conflicts occur because names are concatenated: field BC of A and field C of AB, for example,
// yield the same name.
func (e *emitter) unique(name string) string {
	for e.named[name] {
		name += "_"
	}
	e.named[name] = true
	return name
}

// needs adds an import of a standard library package to the file.
func (e *emitter) needs(path string) { e.imports[path] = true }

// comment writes a comment, wrapped at about 100 columns.
func (e *emitter) comment(format string, args ...any) {
	line := "//"
	for word := range strings.FieldsSeq(fmt.Sprintf(format, args...)) {
		if len(line)+len(word) > 100 {
			e.p("%s", line)
			line = "//"
		}
		line += " " + word
	}
	e.p("%s", line)
}

// fieldComment writes the doc comment of a field's accessor: the given sentence, followed by the
// comment of the field in the schema.
func (e *emitter) fieldComment(f *schema.Field, format string, args ...any) {
	e.comment(format, args...)
	if len(f.Doc) > 0 {
		e.p("//")
	}
	for _, line := range f.Doc {
		e.p("%s", strings.TrimSpace("// "+line))
	}
}
