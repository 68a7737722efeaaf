// Package golang generates the Go package of a schema, with one file for each subject.
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

// Emit returns the files of the package for a model. name is the name of the package.
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

// An emitter generates one file.
type emitter struct {
	*schema.Model
	name     string
	doc      string // of the package
	imports  map[string]bool
	body     bytes.Buffer
	eachItem map[string]*schema.Type // the item types for which the method each writes a function
	named    map[string]bool         // the function names that unique has returned
	place    string                  // what a value that is out of range is said to be: "everyflat.Builder.Null: Line"
}

// p writes a formatted line.
func (e *emitter) p(line string, args ...any) {
	if len(args) > 0 {
		line = fmt.Sprintf(line, args...)
	}
	e.body.WriteString(line)
	e.body.WriteByte('\n')
}

// file returns the contents of the file, formatted by gofmt.
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

// withoutComments returns code without lines that are comments.
func withoutComments(code string) string {
	var b strings.Builder
	for line := range strings.Lines(code) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// mentions reports whether code uses the package with the given name.
func mentions(code, name string) bool {
	return regexp.MustCompile(`(^|[^\w.])` + name + `\.[A-Z]`).MatchString(code)
}

// unique returns the name of a function, with underscores added until it differs from all other
// functions in the file. This is necessary because, for example, the field BC of A and the field C
// of AB would get the same name.
func (e *emitter) unique(name string) string {
	for e.named[name] {
		name += "_"
	}
	e.named[name] = true
	return name
}

// needs records that the file imports a package of the standard library.
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

// fieldComment writes the comment of a field's accessor: a sentence, followed by the field's
// comment in the schema.
func (e *emitter) fieldComment(f *schema.Field, format string, args ...any) {
	e.comment(format, args...)
	if len(f.Doc) > 0 {
		e.p("//")
	}
	for _, line := range f.Doc {
		e.p("%s", strings.TrimSpace("// "+line))
	}
}
