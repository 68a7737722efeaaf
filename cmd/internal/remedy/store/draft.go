package store

import (
	"fmt"
	"go/types"
	"go/version"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/scaffold"
)

// A column describes a field of a record, and how it is converted.
type column struct {
	name, typ string
	in, out   string // expressions that set the field of a record, and of a value
	link      bool   // whether the field refers to other records
}

// drafting adds the methods that write a store to a scaffold.Draft.
type drafting struct{ *scaffold.Draft }

// draft writes the record type and the store with its converters, for the sites' type. It returns
// the remaining work as todo.
func draft(r *change.Request) (files map[string][]byte, todo []string, err error) {
	begun, err := scaffold.Begin(r)
	if err != nil {
		return nil, nil, err
	}
	d := drafting{begun}
	if version.Compare(r.Language, "go1.18") < 0 {
		return nil, nil, change.Refusef("a store needs go1.18")
	}
	s, ok := d.Object.Type().Underlying().(*types.Struct)
	if !ok || s.NumFields() == 0 {
		return nil, nil, change.Refusef("%s is not a struct with fields", d.Object.Name())
	}
	name := scaffold.Lower(d.Object.Name())
	record, owner := name+"Record", name+"Store"
	if err := d.Free("store", record, owner, "open"+scaffold.Upper(owner)); err != nil {
		return nil, nil, err
	}
	imports := map[string]bool{cmd.Library + "/store": true}
	var columns []column
	for f := range s.Fields() {
		if f.Name() == "_" {
			continue
		}
		c, why := d.column(f, record, imports)
		if why != "" {
			return nil, nil, change.Refusef("%s.%s %s", d.Object.Name(), f.Name(), why)
		}
		columns = append(columns, c)
	}
	if err := d.Create(strings.ToLower(name)+"_store.go", storeText(d, record, owner, columns, imports)); err != nil {
		return nil, nil, err
	}
	made, written, held := d.Walk()
	d.Places("put values into the store where they are made", made)
	d.Places("write to the record, by At, where fields are written", written)
	d.Places("hold a store.Ref["+record+"] instead of a pointer", held)
	d.Later("call open%s once, where what keeps the values is made, and close at its end", scaffold.Upper(owner))
	d.Later("call Delete of the records where the last ref to a record goes; nothing else frees it")
	d.Later("one goroutine at a time may use the store: hold the lock that guards the values now")
	return d.Files, d.Todo, nil
}

// column describes how a record stores a field, or returns the reason that it cannot store the
// field.
func (d drafting) column(f *types.Var, record string, imports map[string]bool) (c column, why string) {
	c = column{name: f.Name(), in: "from." + f.Name(), out: "record." + f.Name()}
	ref := "store.Ref[" + record + "]"
	array, isArray := types.Unalias(f.Type()).(*types.Array)
	b, basic := f.Type().Underlying().(*types.Basic)
	switch {
	case pointerFree(f.Type()):
		c.typ = d.typeText(f.Type(), imports)
	case types.Identical(f.Type(), types.Typ[types.String]):
		c.typ, c.in, c.out = "store.Text", "s.records.AllocText("+c.in+")", "s.records.Text("+c.out+")"
	case basic && b.Info()&types.IsString != 0:
		c.typ, c.in, c.out = "store.Text", "s.records.AllocText(string("+c.in+"))", d.typeText(f.Type(), imports)+"(s.records.Text("+c.out+"))"
	case d.isOwn(f.Type()):
		c.typ, c.in, c.out, c.link = ref, "ref("+c.in+")", "value("+c.out+")", true
	case isArray && d.isOwn(array.Elem()):
		c.typ, c.link = fmt.Sprintf("[%d]%s", array.Len(), ref), true
		c.in, c.out = "", "" // a loop copies the elements
	default:
		return c, "is a " + types.TypeString(f.Type(), types.RelativeTo(d.Package.Types)) + ", which a record cannot contain: it points to the Go heap"
	}
	return c, ""
}

// isOwn reports whether a type is a pointer to the record's own type.
func (d drafting) isOwn(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && types.Identical(p.Elem(), d.Object.Type())
}

// typeText returns the source of a type, and records the packages that it needs.
func (d drafting) typeText(t types.Type, imports map[string]bool) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == d.Package.Types {
			return ""
		}
		imports[p.Path()] = true
		return p.Name()
	})
}

// pointerFree reports whether values of a type contain no pointers that the collector would have to
// follow.
func pointerFree(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsString == 0 && t.Kind() != types.UnsafePointer
	case *types.Array:
		return pointerFree(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !pointerFree(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// storeText returns the source of the file that declares the record type and the store.
func storeText(d drafting, record, owner string, columns []column, imports map[string]bool) string {
	var b strings.Builder
	typ := d.Object.Name()
	write := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	write("package %s\n\nimport (\n", d.Package.Name)
	var standard, others string
	for _, path := range slices.Sorted(maps.Keys(imports)) {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			others += fmt.Sprintf("\t%q\n", path)
		} else {
			standard += fmt.Sprintf("\t%q\n", path)
		}
	}
	write("%s\n%s", standard, others)
	write(")\n\n// %s has the fields of %s for a store: links are refs, and strings are texts.\ntype %s struct {\n", record, typ, record)
	for _, c := range columns {
		write("\t%s %s\n", c.name, c.typ)
	}
	write("}\n\n// %s keeps values of type %s in memory that the collector does not scan. One goroutine at a time may use it.\ntype %s struct{ records *store.Store[%s] }\n\n", owner, typ, owner, record)
	write("// open%s opens a store, which close releases.\nfunc open%s(options store.Options) (*%s, error) {\n\trecords, err := store.New[%s](options)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n\treturn &%s{records}, nil\n}\n\n",
		scaffold.Upper(owner), scaffold.Upper(owner), owner, record, owner)
	write("// close releases the memory of all records.\nfunc (s *%s) close() error { return s.records.Close() }\n\n", owner)
	if slices.ContainsFunc(columns, func(c column) bool { return c.link }) {
		linked(write, typ, record, owner, columns)
	} else {
		plain(write, typ, record, owner, columns)
	}
	return b.String()
}

// plain writes converters for values without links.
func plain(write func(string, ...any), typ, record, owner string, columns []column) {
	write("// put copies a value into the store.\nfunc (s *%s) put(from *%s) store.Ref[%s] {\n\treturn s.records.Alloc(%s{\n", owner, typ, record, record)
	for _, c := range columns {
		write("\t\t%s: %s,\n", c.name, c.in)
	}
	write("\t})\n}\n\n// get copies a value out of the store.\nfunc (s *%s) get(r store.Ref[%s]) *%s {\n\trecord := s.records.At(r)\n\treturn &%s{\n", owner, record, typ, typ)
	for _, c := range columns {
		write("\t\t%s: %s,\n", c.name, c.out)
	}
	write("\t}\n}\n")
}

// linked writes converters that follow links. The converters handle cycles. They use a worklist,
// because recursion would overflow the stack for a long list.
func linked(write func(string, ...any), typ, record, owner string, columns []column) {
	// fields writes an assignment to each field of the given variable, or the loop over the links
	// of the field.
	fields := func(to string, textOf func(column) string, links string) {
		for _, c := range columns {
			if text := textOf(c); text != "" {
				write("\t\t%s.%s = %s\n", to, c.name, text)
			} else {
				write(links, c.name, c.name)
			}
		}
	}
	write("// put copies a value, and all values that it refers to, into the store. The ref of nil is 0.\nfunc (s *%s) put(first *%s) store.Ref[%s] {\n", owner, typ, record)
	write("\trefs := map[*%s]store.Ref[%s]{nil: 0}\n\tvar rest []*%s\n\tref := func(v *%s) store.Ref[%s] {\n\t\tr, ok := refs[v]\n\t\tif !ok {\n\t\t\tr, _ = s.records.New()\n\t\t\trefs[v] = r\n\t\t\trest = append(rest, v)\n\t\t}\n\t\treturn r\n\t}\n", typ, record, typ, typ, record)
	write("\tresult := ref(first)\n\tfor len(rest) > 0 {\n\t\tfrom := rest[len(rest)-1]\n\t\trest = rest[:len(rest)-1]\n\t\trecord := s.records.At(refs[from])\n")
	fields("record", func(c column) string { return c.in }, "\t\tfor i, link := range from.%s {\n\t\t\trecord.%s[i] = ref(link)\n\t\t}\n")
	write("\t}\n\treturn result\n}\n\n// get copies a value, and all values that it refers to, out of the store.\nfunc (s *%s) get(first store.Ref[%s]) *%s {\n", owner, record, typ)
	write("\tvalues := map[store.Ref[%s]]*%s{0: nil}\n\tvar rest []store.Ref[%s]\n\tvalue := func(r store.Ref[%s]) *%s {\n\t\tv, ok := values[r]\n\t\tif !ok {\n\t\t\tv = new(%s)\n\t\t\tvalues[r] = v\n\t\t\trest = append(rest, r)\n\t\t}\n\t\treturn v\n\t}\n", record, typ, record, record, typ, typ)
	write("\tresult := value(first)\n\tfor len(rest) > 0 {\n\t\tr := rest[len(rest)-1]\n\t\trest = rest[:len(rest)-1]\n\t\trecord, to := s.records.At(r), values[r]\n")
	fields("to", func(c column) string { return c.out }, "\t\tfor i, link := range record.%s {\n\t\t\tto.%s[i] = value(link)\n\t\t}\n")
	write("\t}\n\treturn result\n}\n")
}
