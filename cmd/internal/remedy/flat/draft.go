package flat

import (
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/scaffold"
)

// A schema collects the declarations that draft writes for coppice flat.
type schema struct {
	*scaffold.Draft
	name    string // package name of the schema
	records []*record
	sums    []*sum
	taken   map[string]bool // names that are used in the schema
	loose   bool            // whether some record belongs to no sum
}

// A record is a struct of the package that becomes a struct of the schema.
type record struct {
	object *types.TypeName
	name   string // name in the schema
	fields []field
	sums   []*sum
}

// A sum is an interface of the package that becomes a sum type of the schema.
type sum struct {
	object   *types.TypeName
	name     string
	variants []variant
}

// A variant is a record that belongs to a sum. If values of the struct implement the interface, the
// interface may contain both values and pointers.
type variant struct {
	*record
	value bool
}

// reserved lists names that generated packages declare.
var reserved = []string{"Tree", "Builder", "Kind", "KindNil", "Any", "AnyView", "Load", "Read", "Open", "FromTree", "ToTree", "NewBuilder", "Fold", "Results",
	"Err", "Finish", "Reset", "Reuse"}

// draft writes a flat-tree schema for the sites' type, and a converter from the existing pointer
// tree. It returns the remaining work as todo.
func draft(r *change.Request) (files map[string][]byte, todo []string, err error) {
	d, err := scaffold.Begin(r)
	if err != nil {
		return nil, nil, err
	}
	root := d.Object.Name()
	s := &schema{Draft: d, name: strings.ToLower(root) + "tree", taken: map[string]bool{}}
	for _, name := range reserved {
		s.taken[name] = true
	}
	first, sum := s.record(d.Object), (*sum)(nil)
	if first == nil {
		sum = s.sum(d.Object)
	}
	if first == nil && sum == nil {
		return nil, nil, change.Refusef("%s is neither a struct nor an interface that structs of its package implement", root)
	}
	for i := 0; i < len(s.records); i++ { // reading fields may add records
		s.readFields(s.records[i])
	}
	if err := d.Free(scaffold.Lower(root)+"Tree", scaffold.Lower(root)+"Converter", s.name); err != nil {
		return nil, nil, err
	}
	if err := d.Create(s.name+"/"+s.name+".go", s.text()); err != nil {
		return nil, nil, err
	}
	if err := d.Create(s.name+".go", s.converter()); err != nil {
		return nil, nil, err
	}
	s.addRemaining()
	return d.Files, d.Todo, nil
}

// addRemaining adds the remaining work that does not concern a single field.
func (s *schema) addRemaining() {
	root := s.Object.Name()
	made, written, held := s.Walk()
	if s.Object.Exported() && s.Package.Name != "main" {
		s.Later("coppice flat begin -type %s %s goes further, in a folder of its own: links, maps, a converter without garbage and the readers by views", root, s.Package.PkgPath)
	}
	s.Later("in the module: go get -tool github.com/coppice-go/coppice/cmd/coppice; then go generate ./... writes the package %sflat", s.name)
	s.Later("where a tree is complete: values, err := %sTree(root), then tree, err := %sflat.FromTree(values, flat.LoadLimits{}), and drop the pointers", scaffold.Lower(root), s.name)
	s.Places("decide which of these become readers of the flat tree; they hold a pointer now", held)
	s.Places("a flat tree is built once: these write to fields, and must come before FromTree", written)
	s.Places("when this works, build with the Builder where values are made now", made)
	for _, u := range s.sums {
		s.Later("%s is an interface: check that the structs below are all of its implementations: %s", u.object.Name(), strings.Join(namesOf(u.variants), ", "))
	}
}

func namesOf(all []variant) (names []string) {
	for _, v := range all {
		names = append(names, v.object.Name())
	}
	return names
}

// export returns an exported name that the schema does not use yet.
func (s *schema) export(name string) string {
	name = scaffold.Upper(name)
	for base, i := name, 2; s.taken[name]; i++ {
		if name = base + "Node"; s.taken[name] {
			name = base + strconv.Itoa(i)
		}
	}
	for _, taken := range []string{name, "Kind" + name, name + "View", name + "Fields"} {
		s.taken[taken] = true
	}
	return name
}

// own returns the name of a type if the package declares it, and nil otherwise.
func (s *schema) own(t types.Type) *types.TypeName {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() != s.Package.Types || named.Obj().Parent() != s.Package.Types.Scope() || named.TypeParams().Len() > 0 {
		return nil
	}
	return named.Obj()
}

// record returns the record for a struct of the package, and adds it to the schema if necessary. It
// returns nil for other types.
func (s *schema) record(object *types.TypeName) *record {
	if object == nil {
		return nil
	}
	if _, ok := object.Type().Underlying().(*types.Struct); !ok {
		return nil
	}
	for _, r := range s.records {
		if r.object == object {
			return r
		}
	}
	r := &record{object: object, name: s.export(object.Name())}
	s.records = append(s.records, r)
	return r
}

// sum returns the sum for an interface of the package, and adds it to the schema if necessary. It
// returns nil unless structs of the package implement the interface.
func (s *schema) sum(object *types.TypeName) *sum {
	if object == nil {
		return nil
	}
	for _, u := range s.sums {
		if u.object == object {
			return u
		}
	}
	face, ok := object.Type().Underlying().(*types.Interface)
	if !ok || face.NumMethods() == 0 || !face.IsMethodSet() {
		return nil
	}
	u := &sum{object: object}
	for _, name := range s.Package.Types.Scope().Names() {
		other, ok := s.Package.Types.Scope().Lookup(name).(*types.TypeName)
		if !ok || other.IsAlias() || s.own(other.Type()) == nil || !types.Implements(types.NewPointer(other.Type()), face) {
			continue
		}
		if _, ok := other.Type().Underlying().(*types.Struct); ok {
			u.variants = append(u.variants, variant{&record{object: other}, types.Implements(other.Type(), face)})
		}
	}
	if len(u.variants) == 0 {
		return nil
	}
	u.name = s.export(object.Name())
	s.sums = append(s.sums, u)
	for i, v := range u.variants {
		r := s.record(v.object)
		r.sums = append(r.sums, u)
		u.variants[i].record = r
	}
	return u
}

// back matches the names of fields that probably point back to a parent. They are not copied,
// because a flat tree has no cycles.
var back = regexp.MustCompile(`^(?i:parent|prev|previous|up|owner|back|last|outer|root)`)

// readFields adds the fields of a struct to its record. A field that the schema cannot contain
// becomes a line of the remaining work.
func (s *schema) readFields(r *record) {
	names := map[string]bool{}
	for f := range r.object.Type().Underlying().(*types.Struct).Fields() {
		name := r.object.Name() + "." + f.Name()
		to := scaffold.Upper(f.Name())
		switch {
		case f.Name() == "_":
			continue
		case names[to] || !token.IsExported(to) || slices.Contains([]string{"AsAny", "As" + r.name, "IsNil"}, to):
			s.Later("%s is left out: the schema cannot have a field %s", name, to)
			continue
		case back.MatchString(f.Name()) && s.leads(f.Type()):
			s.Later("%s is left out, because it seems to lead back: a value of a flat tree has one parent; add it if it does not", name)
			continue
		}
		one, why := s.field(f.Type(), name)
		if why != "" {
			s.Later("%s is left out: %s", name, why)
			continue
		}
		one.name, one.from = to, f.Name()
		names[to] = true
		r.fields = append(r.fields, one)
	}
}

// leads reports whether a type is an interface of the package, or a pointer to a type of the
// package.
func (s *schema) leads(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	return ok && s.own(p.Elem()) != nil || types.IsInterface(t) && s.own(t) != nil
}

// text returns the source of the schema.
func (s *schema) text() string {
	var b strings.Builder
	root, loose := "", ""
	for _, r := range s.records {
		s.loose = s.loose || len(r.sums) == 0
	}
	if s.loose {
		loose = s.export("Part")
	}
	for _, r := range s.records {
		if r.object == s.Object {
			root = r.name
		}
	}
	for _, u := range s.sums {
		if u.object == s.Object {
			root = u.name
		}
	}
	fmt.Fprintf(&b, "// Package %s declares the trees of %s as coppice flat reads them.\n//\n//flat:root %s\npackage %s\n\n//go:generate go tool coppice flat\n", s.name, s.Object.Name(), root, s.name)
	if s.loose {
		fmt.Fprintf(&b, "\n// %s is any part of a tree.\n//\n//flat:sum\ntype %s interface{ is%s() }\n", loose, loose, loose)
	}
	for _, u := range s.sums {
		fmt.Fprintf(&b, "\n// %s corresponds to %s.%s.\n//\n//flat:sum\ntype %s interface{ is%s() }\n", u.name, s.Package.Name, u.object.Name(), u.name, u.name)
	}
	for _, r := range s.records {
		fmt.Fprintf(&b, "\n// %s has the fields of %s.%s.\ntype %s struct {\n", r.name, s.Package.Name, r.object.Name(), r.name)
		for _, f := range r.fields {
			fmt.Fprintf(&b, "\t%s %s\n", f.name, f.typ)
		}
		b.WriteString("}\n\n")
		for _, u := range r.sums {
			fmt.Fprintf(&b, "func (*%s) is%s() {}\n", r.name, u.name)
		}
		if len(r.sums) == 0 {
			fmt.Fprintf(&b, "func (*%s) is%s() {}\n", r.name, loose)
		}
	}
	return b.String()
}
