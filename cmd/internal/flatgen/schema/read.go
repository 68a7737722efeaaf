package schema

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/internal/flatlayout"
)

// A reader builds the model of one package.
type reader struct {
	directives
	fset     *token.FileSet
	dir      string
	pkg      *packages.Package
	named    []*types.TypeName // named types of the package, in declaration order
	model    *Model
	structs  map[types.Object]*Struct // records and inline structs
	docs     map[token.Pos][]string   // comment lines of the fields, by the positions of the field names
	problems Problems
}

func newReader(fset *token.FileSet, dir string, pkg *packages.Package) *reader {
	return &reader{fset: fset, dir: dir, pkg: pkg, structs: map[types.Object]*Struct{}}
}

// problem records an error in the schema. The message states what is wrong and, after a semicolon,
// how to correct it.
func (r *reader) problem(pos token.Pos, format string, args ...any) {
	r.problems = append(r.problems, Problem{r.at(pos), fmt.Sprintf(format, args...)})
}

func (r *reader) at(pos token.Pos) token.Position { return relative(r.dir, r.fset.Position(pos)) }

func (r *reader) read() (*Model, Problems) {
	r.model = &Model{Path: r.pkg.PkgPath, Package: r.pkg.Name, Import: importName(r.pkg.Name), Records: []*Struct{nil}, Schema: &flatlayout.Schema{}}
	if len(r.pkg.GoFiles) > 0 {
		r.model.Dir = filepath.Dir(r.pkg.GoFiles[0])
	}
	r.readDirectives()
	r.readFieldDocs()
	r.declarations()
	r.readRecords()
	for kind := 1; kind < len(r.model.Records); kind++ {
		r.readFields(r.model.Records[kind])
	}
	for i := 0; i < len(r.model.Structs); i++ { // reading fields may add structs
		r.readFields(r.model.Structs[i])
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

// declarations collects the types of the package in declaration order. The files are sorted by
// name.
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

func (r *reader) readSum(t *types.TypeName) {
	iface, is := t.Type().Underlying().(*types.Interface)
	switch {
	case !is:
		r.problem(t.Pos(), "%s is not an interface; flat:sum is for interfaces", t.Name())
		return
	case isGeneric(t):
		r.problem(t.Pos(), "%s is generic; declare an interface for each use", t.Name())
		return
	case !t.Exported():
		r.problem(t.Pos(), "%s is not exported, so the generated package cannot name it; export it", t.Name())
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
		case *types.Interface: // another sum, which readSums reads itself
		case *types.Struct:
			v := r.structOf(candidate)
			v.Value = v.Value || value
			v.Sums = append(v.Sums, sum)
			sum.Variants = append(sum.Variants, v)
		default:
			r.problem(candidate.Pos(), "%s implements %s but is not a struct; wrap it: type %s struct{ Value ... }", candidate.Name(), t.Name(), candidate.Name())
		}
	}
	if len(sum.Variants) == 0 {
		r.problem(t.Pos(), "%s has no variant; give a struct of the package its methods", t.Name())
	}
	r.model.Sums = append(r.model.Sums, sum)
}

// sealed reports whether an interface has an unexported method, so that only its own package can
// implement it.
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

// structOf returns the model of a struct type, and creates it on first use.
func (r *reader) structOf(t *types.TypeName) *Struct {
	s := r.structs[t]
	if s == nil {
		s = &Struct{Name: t.Name(), Pos: r.at(t.Pos())}
		r.structs[t] = s
		if !t.Exported() {
			r.problem(t.Pos(), "%s is not exported, so the generated package cannot name it; export it", t.Name())
		}
		if isGeneric(t) {
			r.problem(t.Pos(), "%s is generic; declare a struct for each use", t.Name())
		}
	}
	return s
}

// readRoot resolves the type that the directive flat:root names.
func (r *reader) readRoot() {
	if r.root == "" {
		if len(r.model.Sums) > 0 {
			r.problem(r.pkg.Syntax[0].Package, "package %s has no flat:root; say which type the root is: //flat:root %s", r.pkg.Name, r.model.Sums[0].Name)
		}
		return
	}
	for _, sum := range r.model.Sums {
		if sum.Name == r.root {
			r.model.Root = r.sumRef(r.root)
		}
	}
	for _, v := range r.model.Records[1:] {
		if v.Name == r.root {
			r.model.Root = r.recordRef(r.root)
		}
	}
	if object := r.object(r.root); r.model.Root == nil && !r.sums[object] { // reported already
		r.noRoot(object)
	}
}

// object returns the type with the given name, or nil if the package does not declare one.
func (r *reader) object(name string) *types.TypeName {
	t, _ := r.pkg.Types.Scope().Lookup(name).(*types.TypeName)
	return t
}

// noRoot reports that the type in flat:root is neither a sum nor a variant, and suggests a
// correction.
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
	case len(r.sums) == 0 && (t == nil || types.IsInterface(t.Type())): // already reported
	case t == nil:
		r.problem(r.rootPos, "flat:root %s is not a type of the package; %s", r.root, cmp.Or(oneOf, "name a sum or a struct"))
	case types.IsInterface(t.Type()):
		r.problem(r.rootPos, "flat:root %s is an interface but not a sum; put //flat:sum above it", r.root)
	default:
		r.problem(r.rootPos, "flat:root %s is neither a sum nor a struct; %s", r.root, cmp.Or(oneOf, "name a sum or a struct"))
	}
}
