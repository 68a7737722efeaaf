package flatgen

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A reader makes the model of one package.
type reader struct {
	directives
	fset     *token.FileSet
	dir      string
	pkg      *packages.Package
	named    []*types.TypeName // of the package, in the order of declaration
	model    *Model
	structs  map[types.Object]*Struct  // variants and inline structs
	docs     map[types.Object][]string // lines of the comments of fields
	problems Problems
}

func newReader(fset *token.FileSet, dir string, pkg *packages.Package) *reader {
	return &reader{fset: fset, dir: dir, pkg: pkg, structs: map[types.Object]*Struct{}}
}

// problem adds a problem: what is wrong and, after a semicolon, what to do.
func (r *reader) problem(pos token.Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.at(pos), fmt.Sprintf(format, args...)})
}

func (r *reader) at(pos token.Pos) token.Position { return relative(r.dir, r.fset.Position(pos)) }

func (r *reader) read() (*Model, Problems) {
	r.model = &Model{Path: r.pkg.PkgPath, Package: r.pkg.Name, Records: []*Struct{nil}, Schema: &flatlayout.Schema{}}
	if len(r.pkg.GoFiles) > 0 {
		r.model.Dir = filepath.Dir(r.pkg.GoFiles[0])
	}
	r.readDirectives()
	r.readFieldDocs()
	r.declarations()
	r.readVariants()
	for kind := 1; kind < len(r.model.Records); kind++ {
		r.readFields(r.model.Records[kind], true)
	}
	for i := 0; i < len(r.model.Structs); i++ { // fields find more structs
		r.readFields(r.model.Structs[i], false)
	}
	r.readRoot()
	if len(r.problems) == 0 {
		r.lay()
	}
	if len(r.problems) == 0 {
		r.checkNames()
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	return r.model, r.problems
}

// declarations lists the types of the package in the order of declaration, files by name.
func (r *reader) declarations() {
	scope := r.pkg.Types.Scope()
	for _, name := range scope.Names() {
		if t, is := scope.Lookup(name).(*types.TypeName); is && !t.IsAlias() {
			r.named = append(r.named, t)
		}
	}
	slices.SortFunc(r.named, func(a, b *types.TypeName) int {
		p, q := r.fset.Position(a.Pos()), r.fset.Position(b.Pos())
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Offset, q.Offset))
	})
}

// readVariants finds the sums and the structs that implement them.
func (r *reader) readVariants() {
	if len(r.sums) == 0 {
		r.model.Sums = nil
		above := "the interface that its variants implement"
		if t := r.object(r.root); t != nil && types.IsInterface(t.Type()) {
			above = "the interface " + r.root
		}
		r.problem(r.pkg.Syntax[0].Package, "package %s has no sum; put //flat:sum above %s", r.pkg.Name, above)
		return
	}
	for _, t := range r.named {
		if r.sums[t] {
			r.readSum(t)
		}
	}
	for _, t := range r.named {
		if v := r.structs[t]; v != nil {
			if len(r.model.Records) == flatlayout.MaxKinds+1 {
				r.problem(t.Pos(), "more than %d variants; merge some into one with a field that tells them apart", flatlayout.MaxKinds)
			}
			v.Kind = len(r.model.Records)
			r.model.Records = append(r.model.Records, v)
		}
	}
	for _, sum := range r.model.Sums {
		slices.SortFunc(sum.Variants, func(a, b *Struct) int { return cmp.Compare(a.Kind, b.Kind) })
	}
}

func (r *reader) readSum(t *types.TypeName) {
	iface, is := t.Type().Underlying().(*types.Interface)
	switch {
	case !is:
		r.problem(t.Pos(), "%s is no interface; flat:sum is for interfaces", t.Name())
		return
	case isGeneric(t):
		r.problem(t.Pos(), "%s is generic; declare an interface for each use", t.Name())
		return
	case !t.Exported():
		r.problem(t.Pos(), "%s is not exported, and the generated package cannot name it; export it", t.Name())
		return
	case !sealed(iface):
		r.problem(t.Pos(), "%s is not sealed: other packages can implement it; give it an unexported method, such as is%s()", t.Name(), t.Name())
		return
	}
	sum := &Sum{Name: t.Name(), Pos: r.at(t.Pos())}
	for _, candidate := range r.named {
		value := types.Implements(candidate.Type(), iface)
		if candidate == t || !value && !types.Implements(types.NewPointer(candidate.Type()), iface) {
			continue
		}
		switch candidate.Type().Underlying().(type) {
		case *types.Interface: // another sum, whose variants are found by themselves
		case *types.Struct:
			v := r.structOf(candidate)
			v.Value = v.Value || value
			v.Sums = append(v.Sums, sum)
			sum.Variants = append(sum.Variants, v)
		default:
			r.problem(candidate.Pos(), "%s implements %s and is no struct; wrap it: type %s struct{ Value ... }", candidate.Name(), t.Name(), candidate.Name())
		}
	}
	if len(sum.Variants) == 0 {
		r.problem(t.Pos(), "%s has no variant; give a struct of the package its methods", t.Name())
	}
	r.model.Sums = append(r.model.Sums, sum)
}

// sealed reports whether only its package can implement the interface.
func sealed(t *types.Interface) bool {
	for method := range t.Methods() {
		if !method.Exported() {
			return true
		}
	}
	return false
}

func isGeneric(t *types.TypeName) bool {
	named, is := t.Type().(*types.Named)
	return is && named.TypeParams().Len() > 0
}

// structOf returns the model of a struct type.
func (r *reader) structOf(t *types.TypeName) *Struct {
	s := r.structs[t]
	if s == nil {
		s = &Struct{Name: t.Name(), Pos: r.at(t.Pos())}
		r.structs[t] = s
		if !t.Exported() {
			r.problem(t.Pos(), "%s is not exported, and the generated package cannot name it; export it", t.Name())
		}
		if isGeneric(t) {
			r.problem(t.Pos(), "%s is generic; declare a struct for each use", t.Name())
		}
	}
	return s
}

// readFields reads the fields of a variant or an inline struct.
func (r *reader) readFields(s *Struct, variant bool) {
	if isGeneric(r.object(s.Name)) {
		return // that is refused, and what its parameters are says nothing
	}
	t := r.object(s.Name).Type().Underlying().(*types.Struct)
	if !variant && t.NumFields() == 0 {
		r.problem(r.object(s.Name).Pos(), "%s has no field; leave out what holds it", s.Name)
	}
	for i := range t.NumFields() {
		v := t.Field(i)
		f := &Field{Name: v.Name(), Doc: r.docs[v], Pos: r.at(v.Pos())}
		switch {
		case v.Embedded():
			r.problem(v.Pos(), "%s.%s is embedded; give the field a name", s.Name, v.Name())
			continue
		case v.Name() == "_":
			r.problem(v.Pos(), "%s has a field without a name; remove it", s.Name)
			continue
		case !v.Exported():
			r.problem(v.Pos(), "%s.%s is not exported, and the generated package cannot read it; export it", s.Name, v.Name())
			continue
		}
		f.Type = r.fieldType(v, s.Name+"."+v.Name(), variant)
		if f.Type == nil {
			continue
		}
		f.Intern = r.intern(v, reflect.StructTag(t.Tag(i)).Get("flat"), f.Type)
		s.Fields = append(s.Fields, f)
	}
}

// intern reads the tag of a field.
func (r *reader) intern(v *types.Var, tag string, t *Type) bool {
	if tag == "" {
		return false
	}
	inner := t
	for inner.Elem != nil {
		inner = inner.Elem
	}
	if tag != "intern" || inner.Base != flatlayout.String && inner.Base != flatlayout.Bytes {
		r.problem(v.Pos(), "tag flat:%q of %s; the only one is flat:\"intern\", for strings and []byte", tag, v.Name())
		return false
	}
	return true
}

// readRoot resolves flat:root.
func (r *reader) readRoot() {
	if r.root == "" {
		if len(r.model.Sums) > 0 {
			r.problem(r.pkg.Syntax[0].Package, "package %s has no flat:root; say which type the root is: //flat:root %s", r.pkg.Name, r.model.Sums[0].Name)
		}
		return
	}
	for _, sum := range r.model.Sums {
		if sum.Name == r.root {
			r.model.Root = r.ref(r.root, false)
		}
	}
	for _, v := range r.model.Records[1:] {
		if v.Name == r.root {
			r.model.Root = r.ref(r.root, true)
		}
	}
	if object := r.object(r.root); r.model.Root == nil && !r.sums[object] { // a sum that was refused has its own line
		r.noRoot(object)
	}
}

// object returns the type with that name, or nil.
func (r *reader) object(name string) *types.TypeName {
	t, _ := r.pkg.Types.Scope().Lookup(name).(*types.TypeName)
	return t
}

// noRoot reports that flat:root names neither a sum nor a variant, and what to do.
func (r *reader) noRoot(t *types.TypeName) {
	var names []string
	for _, sum := range r.model.Sums {
		names = append(names, sum.Name)
	}
	for _, v := range r.model.Records[1:] {
		names = append(names, v.Name)
	}
	oneOf := ""
	if len(names) > 0 {
		oneOf = "name one of " + strings.Join(names, ", ")
	}
	switch {
	case len(r.sums) == 0: // which has a line
	case t == nil:
		r.problem(r.rootPos, "flat:root %s is no type of the package; %s", r.root, cmp.Or(oneOf, "name a sum or a variant"))
	case types.IsInterface(t.Type()):
		r.problem(r.rootPos, "flat:root %s is an interface and no sum; put //flat:sum above it", r.root)
	default:
		r.problem(r.rootPos, "flat:root %s is neither a sum nor a variant; give it the methods of a sum%s", r.root, strings.TrimSuffix(", or "+oneOf, ", or "))
	}
}
