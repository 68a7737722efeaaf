package flatbegin

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/pprof/profile"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// A plan maps the types of the module to the types of the schema.
type plan struct {
	o       *Options
	pkg     *packages.Package            // package of the root type
	loaded  map[string]*packages.Package // all packages that were loaded with their source, by path
	name    string                       // name of the schema's package
	outPath string                       // import path of the schema's package
	root    *types.TypeName
	first   *record // the root, if it is a struct; else nil
	sum     *sum    // the root, if it is an interface; else nil
	records []*record
	sums    []*sum
	getters map[*types.Var]*types.Func // methods that only return a field, by field
	pending []*field                   // links to resolve when the types of all values are known
	taken   map[string]bool            // names that are reserved or used in the schema
	left    []Left
	asked   map[string]string // fields that flags name, with the name of the flag
	bits    map[string]int    // widths of integer fields in bits, from -bits
	holders []string          // names of the fields that hold values, indexed by field.id
	profile *profile.Profile  // CPU profile, or nil
}

// A Left names a field that was left out of the schema, and the reason.
type Left struct{ Field, Why string }

// A record is a struct in the schema. It is either derived from a struct of the module, or added to
// hold map entries or the inner lists of a list of lists.
type record struct {
	object *types.TypeName // type in the module; nil for a record that was added
	name   string          // name in the schema
	fields []*field
	sums   []*sum
	links  int            // number of fields that are links
	seen   bool           // whether pointers may point to values, so that each value is recorded
	model  *schema.Struct // the struct, as coppice flat reads it from the schema
}

// A sum is an interface of the schema, which is derived from an interface of the module.
type sum struct {
	object   *types.TypeName
	name     string
	variants []variant
	hidden   []string // types that implement the interface but cannot be named in other packages
}

// A variant is a struct that implements the interface of a sum. If the struct itself implements the
// interface, and not only its pointer type, the interface may contain both values and pointers.
type variant struct {
	*record
	value bool
}

// A field describes a field of a record: its representation in the schema, and the field of the
// module from which it is derived.
type field struct {
	of     *record
	name   string     // name in the schema
	path   string     // selector that reads the field from a value: .Name or .Name()
	full   string     // name in flags and reports: Type.field
	object *types.Var // field in the module; nil for a field that was added
	next   string     // selector of the next sibling; empty if the field is not a list of siblings
	shape  *shape
	link   bool
	intern bool
	bits   int // width in bits; 0 for the full width of the type
	id     int // index in plan.holders
}

// reserved contains the names that types of the schema cannot have, because generated packages use
// them or because they would hide methods of a Builder.
var reserved = slices.Concat(schema.Reserved, schema.BuilderMethods)

// mostBits is the maximum number of bits that the flag -bits accepts.
const mostBits = 31

// makePlan completes a plan. It finds all types of the trees by following the fields of the root
// type.
func makePlan(p *plan) error {
	p.taken, p.asked, p.bits = map[string]bool{}, map[string]string{}, map[string]int{}
	for _, name := range reserved {
		p.taken[name] = true
	}
	for _, name := range p.o.Leave {
		p.asked[name] = "leave"
	}
	for _, name := range p.o.Link {
		p.asked[name] = "link"
	}
	for _, text := range p.o.Bits {
		name, number, _ := strings.Cut(text, "=")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > mostBits {
			return fmt.Errorf("invalid -bits %s: must be Type.Field=N, with N from 1 to %d", text, mostBits)
		}
		p.bits[name] = n
	}
	p.holders = []string{"the root"}
	p.getters = gettersOf(p.loaded)
	if p.first = p.record(p.root); p.first == nil {
		p.sum = p.sumOf(p.root)
	}
	if p.first == nil && p.sum == nil {
		return fmt.Errorf("invalid -type %s: must be a struct or an interface that structs implement", p.root.Name())
	}
	if p.first != nil {
		p.first.seen = true
	}
	for i := 0; i < len(p.records); i++ { // readFields may append records
		if r := p.records[i]; r.object != nil {
			p.readFields(r)
		}
	}
	p.resolveLinks()
	p.dropEmpty()
	return p.askedForNothing()
}

// askedForNothing returns an error if the flag -leave, -link or -bits names a field that does not
// exist.
func (p *plan) askedForNothing() error {
	for _, name := range slices.Concat(p.o.Leave, p.o.Link) {
		if p.asked[name] != "" {
			return fmt.Errorf("invalid -%s %s: must be a field of a type below %s, as in %s",
				p.asked[name], name, p.root.Name(), p.example())
		}
	}
	for name := range p.bits {
		return fmt.Errorf("invalid -bits %s: must be an integer in a type below %s", name, p.root.Name())
	}
	return nil
}

// example returns the name of a field that -leave and -link accept, as an example for an error
// message.
func (p *plan) example() string {
	for _, r := range p.records {
		if len(r.fields) > 0 {
			return r.fields[0].full
		}
	}
	return "Type.Field"
}

func (p *plan) leave(full, format string, args ...any) {
	p.left = append(p.left, Left{full, fmt.Sprintf(format, args...)})
}

// export converts a name to an exported name that is not yet used in the schema.
func (p *plan) export(name string) string {
	name = upper(name)
	for base, i := name, 2; p.taken[name]; i++ {
		if name = base + "Node"; p.taken[name] {
			name = base + strconv.Itoa(i)
		}
	}
	for _, taken := range []string{name, "Kind" + name, name + "View", name + "Fields"} {
		p.taken[taken] = true
	}
	return name
}

// upper capitalizes the first letter of a name.
func upper(name string) string {
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// own returns the declaration of a type. The type must be declared in the module of the root type
// or in the main module, and the converter must be able to refer to it. Otherwise, own returns the
// reason why the type cannot be used.
func (p *plan) own(t types.Type) (*types.TypeName, string) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil, "it has no name"
	}
	object := named.Obj()
	switch {
	case object.Pkg() == nil:
		return nil, "its contents are unknown"
	case named.TypeArgs().Len() > 0 || named.TypeParams().Len() > 0:
		return nil, "it is generic"
	case object.Parent() != object.Pkg().Scope():
		return nil, "it is declared in a function"
	case !object.Exported():
		return nil, "it is not exported, and the converter is in another package"
	case !p.isOwn(object.Pkg().Path()):
		return nil, "it belongs to a third module"
	case !importable(object.Pkg().Path(), p.outPath):
		return nil, "its package is internal to another folder"
	}
	return object, ""
}

// isOwn reports whether a package belongs to the module of the root type, or to the module in which
// the command runs.
func (p *plan) isOwn(path string) bool {
	other := p.loaded[path]
	switch {
	case other == nil || other.Imports[flatPackage+"/flatimpl"] != nil || isBegun(other): // not loaded, or generated
		return false
	case other.Module == nil || p.pkg.Module == nil: // one of them belongs to the standard library
		return other.Module == p.pkg.Module || other.Module != nil && other.Module.Main
	default:
		return other.Module.Main || other.Module.Path == p.pkg.Module.Path
	}
}

// isBegun reports whether a package was written by coppice flat begin, for any root type.
func isBegun(pkg *packages.Package) bool {
	return slices.ContainsFunc(pkg.Syntax, func(file *ast.File) bool {
		return len(file.Comments) > 0 && file.Comments[0].Text() == strings.TrimSpace(begun[2:])+"\n"
	})
}

// importable reports whether the package with the path in from may import the package with the path
// in path, according to the rule for internal folders.
func importable(path, from string) bool {
	at := strings.LastIndex("/"+path+"/", "/internal/")
	if at < 0 {
		return true
	}
	parent := strings.TrimSuffix(path[:at], "/")
	return parent != "" && (from == parent || strings.HasPrefix(from, parent+"/"))
}

// record returns the record of a struct, and creates it if the plan does not have it yet. It
// returns nil if the type is not a struct.
func (p *plan) record(object *types.TypeName) *record {
	if _, ok := object.Type().Underlying().(*types.Struct); !ok {
		return nil
	}
	if r := p.recordOf(object); r != nil {
		return r
	}
	r := &record{object: object, name: p.export(object.Name())}
	p.records = append(p.records, r)
	return r
}

// recordOf returns the record that the plan already has for a type, or nil.
func (p *plan) recordOf(object *types.TypeName) *record {
	for _, r := range p.records {
		if r.object == object {
			return r
		}
	}
	return nil
}

// knownSum returns the sum that the plan already has for an interface, or nil.
func (p *plan) knownSum(object *types.TypeName) *sum {
	for _, u := range p.sums {
		if u.object == object {
			return u
		}
	}
	return nil
}

// sumOf returns the sum for an interface, and creates it if necessary. It returns nil if the type
// is not an interface that structs of the module implement.
func (p *plan) sumOf(object *types.TypeName) *sum {
	if u := p.knownSum(object); u != nil {
		return u
	}
	face, ok := object.Type().Underlying().(*types.Interface)
	if !ok || face.NumMethods() == 0 || !face.IsMethodSet() {
		return nil
	}
	u := &sum{object: object}
	var found []*types.TypeName
	for _, path := range slices.Sorted(maps.Keys(p.loaded)) {
		if !p.isOwn(path) {
			continue
		}
		scope := p.loaded[path].Types.Scope()
		for _, name := range scope.Names() {
			other, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || other.IsAlias() || types.IsInterface(other.Type()) || generic(other) || !types.Implements(types.NewPointer(other.Type()), face) {
				continue
			}
			_, isStruct := other.Type().Underlying().(*types.Struct)
			if named, _ := p.own(other.Type()); !isStruct || named == nil {
				u.hidden = append(u.hidden, other.Pkg().Name()+"."+name)
				continue
			}
			found = append(found, other)
		}
	}
	if len(found) == 0 {
		return nil
	}
	u.name = p.export(object.Name())
	p.sums = append(p.sums, u)
	for _, other := range found {
		r := p.record(other)
		r.seen = true
		r.sums = append(r.sums, u)
		u.variants = append(u.variants, variant{r, types.Implements(other.Type(), face)})
	}
	return u
}

func generic(t *types.TypeName) bool {
	named, ok := t.Type().(*types.Named)
	return !ok || named.TypeParams().Len() > 0
}

// dropEmpty removes each field that contains a struct by value if none of the struct's fields is in
// the schema.
func (p *plan) dropEmpty() {
	for again := true; again; {
		again = false
		for _, r := range p.records {
			r.fields = slices.DeleteFunc(r.fields, func(f *field) bool {
				of := f.shape.inner()
				if of == nil || len(of.fields) > 0 || of.seen {
					return false
				}
				p.leave(f.full, "nothing of %s can be read; keep it beside the tree", p.short(f.shape.typ))
				again = true
				return true
			})
		}
	}
	p.records = slices.DeleteFunc(p.records, func(r *record) bool { return !r.seen && len(r.fields) == 0 })
}

func (p *plan) short(t types.Type) string {
	return types.TypeString(t, func(other *types.Package) string {
		if other == p.root.Pkg() {
			return ""
		}
		return other.Name()
	})
}

// back matches the usual names of fields that point back to a parent, an owner or a previous node.
var back = regexp.MustCompile(`^(?i:parent|prev|up$|owner|back|outer|enclosing)`)

// named matches the names of string fields whose values are often equal.
var named = regexp.MustCompile(`(?i:name|key|tag|kind|type|space|prefix|unit|class|alias|label|operator|lang)s?$|^(?:Op|Var)$`)

// isName reports whether equal strings in a field should be stored only once. This is the case for
// names, and for declared string types, which often have only a few values.
func isName(f *field, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 && (named.MatchString(f.name) || !types.Identical(t, types.Typ[types.String]))
}
