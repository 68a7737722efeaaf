// Package cpp generates a C++20 header for a schema. The code that all headers share is in the
// folder runtime.
package cpp

import (
	"bytes"
	"embed"
	"fmt"
	"hash/fnv"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// runtimeFiles contains the code that does not depend on the schema. Headers contain the files,
// sorted by name.
//
//go:embed runtime/*.hpp
var runtimeFiles embed.FS

// RuntimeName is the name of the header file that generated headers include for their shared code.
const RuntimeName = "coppice_flat.hpp"

// Runtime returns the contents of the file RuntimeName.
func Runtime() []byte {
	e := &emitter{}
	e.p("%s//", schema.Mark)
	e.comment("What all headers of flat trees in this folder share, for C++20. It needs only the standard library, and uses mmap where available. " + manual)
	e.body.Write(runtime().text)
	return e.body.Bytes()
}

// manual is the sentence in generated comments that refers readers to the documentation.
const manual = "docs/FLAT.md of the module github.com/coppice-go/coppice explains such headers, and specifies the files."

// runtime returns the code that all headers share, and a number that identifies its version. The
// number prevents headers with different versions of the code from compiling together.
var runtime = sync.OnceValue(func() (r struct {
	text   []byte
	number uint32
}) {
	parts, err := fs.Glob(runtimeFiles, "runtime/*.hpp")
	for _, part := range parts {
		var text []byte
		if text, err = runtimeFiles.ReadFile(part); err != nil {
			break
		}
		r.text = append(r.text, text...)
	}
	if err != nil {
		panic(err) // impossible, because the files are embedded in the program
	}
	sum := fnv.New32a()
	sum.Write(r.text)
	r.number = sum.Sum32()
	r.text = bytes.Replace(r.text, []byte("#define COPPICE_FLAT 1\n"), fmt.Appendf(nil, "#define COPPICE_FLAT %d\n", r.number), 1)
	return r
})

// A Form determines whether a header contains the shared code or includes it.
type Form int

// These are the possible forms of a header.
const (
	Including Form = iota // includes the shared code from the file RuntimeName beside it
	Alone                 // contains the shared code, and needs no other file
)

// Emit generates the C++20 header for a model. name becomes the C++ namespace.
func Emit(m *schema.Model, name string, form Form) ([]byte, error) {
	if err := checkNames(m); err != nil {
		return nil, err
	}
	e := &emitter{Model: m, namespace: safe(name)}
	e.p("%s//", schema.Mark)
	e.comment("Flat trees of the types of package %s, for C++20. "+manual, m.Package)
	if form == Including {
		e.p("#pragma once\n\n#include \"%s\"", RuntimeName)
	} else {
		e.body.Write(runtime().text)
	}
	e.p("\n#if COPPICE_FLAT != %d\n#error \"headers of flat trees by two versions of coppice flat; write them all by one\"\n#endif", runtime().number)
	e.p("\nnamespace %s {\n", e.namespace)
	e.writeKinds()
	e.handles()
	e.views()
	e.tables()
	e.fields()
	e.entry()
	e.p("\n}  // namespace %s", e.namespace)
	return e.body.Bytes(), nil
}

// An emitter writes one C++ header.
type emitter struct {
	*schema.Model
	namespace string
	body      lines
}

// p writes a line, formatted as by fmt.Sprintf.
func (e *emitter) p(line string, args ...any) { e.body.p(line, args...) }

// comment writes a comment, wrapped at about 110 columns.
func (e *emitter) comment(format string, args ...any) {
	line := "//"
	for word := range strings.FieldsSeq(fmt.Sprintf(format, args...)) {
		if len(line)+len(word) > 110 {
			e.p("%s", line)
			line = "//"
		}
		line += " " + word
	}
	e.p("%s", line)
}

// writeKinds writes the enumeration of record kinds, the forward declarations, and the kinds that
// each handle and view can have.
func (e *emitter) writeKinds() {
	e.comment("The variant of a node.")
	e.p("enum class kind : std::uint8_t {\n    none,  // no node")
	for _, v := range e.Records[1:] {
		e.p("    %s,", safe(v.Name))
	}
	e.p("};\n")
	e.p("struct schema;\nclass any;  // a node of any kind")
	for _, sum := range e.Sums {
		e.p("class %s;", safe(sum.Name))
	}
	for _, s := range e.structs() {
		e.p("struct %s;", safe(s.Name))
	}
	e.p("")
	e.kindsOf("any", e.Records[1:])
	for _, sum := range e.Sums {
		e.kindsOf(safe(sum.Name), sum.Variants)
	}
	for _, v := range e.Records[1:] {
		e.kindsOf(safe(v.Name), []*schema.Struct{v})
	}
}

func (e *emitter) kindsOf(name string, variants []*schema.Struct) {
	var kinds []string
	kinds = slices.Grow(kinds, len(variants))
	for _, v := range variants {
		kinds = append(kinds, strconv.Itoa(v.Kind))
	}
	e.p("constexpr coppice::flat::kind_set kinds_of(std::type_identity<%s>) { return {%s}; }", name, strings.Join(kinds, ", "))
	e.p("schema schema_of(std::type_identity<%s>);", name)
}

// structs returns all structs that have views: first the inline structs, each after the structs
// that it contains, and then the records.
func (e *emitter) structs() []*schema.Struct { return append(e.structsInside(), e.Records[1:]...) }

// entry writes the functions and types that a program uses first.
func (e *emitter) entry() {
	var records []string
	records = slices.Grow(records, len(e.Records))
	for _, v := range e.Records[1:] {
		records = append(records, safe(v.Name))
	}
	e.p(entryText, safe(e.Root.Name), strings.Join(records, ", "))
}

const entryText = `
// The description of this schema for the templates of coppice::flat.
struct schema {
    using root_type = %[1]s;
    using any_type = any;
    template <template <class...> class list>
    using records = list<%[2]s>;  // by kind
    static const coppice::flat::detail::schema& tables() noexcept { return tables::newest; }
};

// Trees are loaded, opened, or built by a builder.
using tree = coppice::flat::tree<schema>;
using builder = coppice::flat::builder<schema>;
template <class T>
using made = coppice::flat::made<T>;

inline tree load(std::span<const std::byte> file, const coppice::flat::load_limits& limits = {}) {
    return tree::load(file, limits);
}
inline tree open(const std::string& path, const coppice::flat::load_limits& limits = {}) { return tree::open(path, limits); }
`

// textLiteral returns a schema text as a C++ string literal, with one source line for each line of
// the text.
func textLiteral(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprintf(&b, "\n    \"%s\\n\"", strings.TrimSuffix(line, "\n"))
	}
	return b.String()
}

// hashText returns the layout hash of a schema text as a C++ literal.
func hashText(text string) string { return fmt.Sprintf("0x%016x", flatlayout.Hash(text)) }
