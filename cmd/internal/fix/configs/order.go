package configs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
)

// A Reordered is the error of an edit after which two packages of a program begin in another order. A package begins as soon as all that it
// imports has begun; of those that can, the one with the first path. So an import that comes or goes moves the package.
type Reordered struct {
	Config        Config
	Program       string // as the go command names it: p, or p.test for its tests
	First, Second string // the packages, in the order that they had
}

// Error says which packages change places: one line.
func (r *Reordered) Error() string {
	return fmt.Sprintf("an import that comes or goes changes the order in which the packages of %s begin: %s would begin before %s (%s)", r.Program, r.Second, r.First, r.Config)
}

// reordered says which packages of a program change places by an edit, if both do something when they begin; nil if none do. unused has the
// imports that go from a file as soon as nothing uses them: another edit may take the last use away.
//
// Which packages take part in the order is up to the compiler: those that have something to do may be fewer than those of the language's rule.
// So it is looked at three times: with all packages, and with those that may have something to do, and surely have.
func (s *Set) reordered(c Config, before, after *loading, overlay map[string][]byte, unused map[string][]string) *Reordered {
	for _, program := range after.programs {
		old := before.byID[program.ID]
		if old == nil {
			continue
		}
		was := s.program(old, nil, nil)
		for _, drops := range []map[string][]string{nil, unused} {
			now := s.program(program, overlay, drops)
			if maps.EqualFunc(was.reached(s.change), now.reached(s.change), maps.Equal) {
				continue
			}
			for _, takesPart := range []func(*packages.Package) bool{
				func(*packages.Package) bool { return true },
				func(p *packages.Package) bool { return s.startOf(p).maybe },
				func(p *packages.Package) bool { return s.startOf(p).surely },
			} {
				if first, second := s.swapped(was.order(takesPart), now.order(takesPart), was); first != "" {
					return &Reordered{c, program.ID, first, second}
				}
			}
		}
	}
	return nil
}

// swapped returns two packages with effects that another order has the other way round. Those that only one order has, do not count.
func (s *Set) swapped(was, now []string, of *program) (first, second string) {
	place := map[string]int{}
	for i, p := range now {
		place[p] = i
	}
	was = slices.DeleteFunc(was, func(path string) bool {
		_, both := place[path]
		return !both || !s.startOf(of.all[path]).effect
	})
	for i := 1; i < len(was); i++ {
		if place[was[i]] < place[was[i-1]] {
			return was[i-1], was[i]
		}
	}
	return "", ""
}

// A program has the packages of one program by their paths, of which it has one each, and what they import.
type program struct {
	all     map[string]*packages.Package
	imports map[string][]string
}

// program collects the packages of one. Files of packages that change lose the imports that go.
func (s *Set) program(root *packages.Package, overlay map[string][]byte, unused map[string][]string) *program {
	g := &program{all: map[string]*packages.Package{}, imports: map[string][]string{}}
	var walk func(p *packages.Package)
	walk = func(p *packages.Package) {
		if g.all[p.PkgPath] != nil || p.PkgPath == "unsafe" {
			return
		}
		g.all[p.PkgPath] = p
		keep := func(string) bool { return true }
		if s.change[p.PkgPath] && len(unused) > 0 {
			keep = s.keeps(p, overlay, unused)
		}
		for _, name := range slices.Sorted(maps.Keys(p.Imports)) {
			if imported := p.Imports[name]; imported.PkgPath != "unsafe" && keep(name) {
				g.imports[p.PkgPath] = append(g.imports[p.PkgPath], imported.PkgPath)
				walk(imported)
			}
		}
	}
	walk(root)
	return g
}

// keeps tells which imports a package has if all go that some edit may take away.
func (s *Set) keeps(p *packages.Package, overlay map[string][]byte, unused map[string][]string) func(path string) bool {
	kept := map[string]bool{}
	for _, name := range p.GoFiles {
		var source any
		if data, changed := overlay[name]; changed {
			source = data
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly|parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			kept[path] = kept[path] || !slices.Contains(unused[name], path)
		}
	}
	return func(path string) bool { return kept[path] }
}

// reached are the packages that each of some imports, directly or not.
func (g *program) reached(some map[string]bool) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for of := range some {
		if g.all[of] == nil {
			continue
		}
		reached := map[string]bool{}
		var walk func(string)
		walk = func(path string) {
			if !reached[path] {
				reached[path] = true
				for _, imported := range g.imports[path] {
					walk(imported)
				}
			}
		}
		walk(of)
		all[of] = reached
	}
	return all
}

// order returns the packages that take part in the order in which they begin. A package takes part also if one that it imports does.
func (g *program) order(takesPart func(*packages.Package) bool) (order []string) {
	part := map[string]bool{}
	known := map[string]bool{}
	var walk func(string)
	walk = func(path string) {
		if known[path] {
			return
		}
		known[path] = true
		part[path] = takesPart(g.all[path])
		for _, imported := range g.imports[path] {
			walk(imported)
			part[path] = part[path] || part[imported]
		}
	}
	waits, importers := map[string]int{}, map[string][]string{}
	var ready []string // sorted
	for _, path := range slices.Sorted(maps.Keys(g.all)) {
		if walk(path); !part[path] {
			continue
		}
		for _, imported := range g.imports[path] {
			if walk(imported); part[imported] {
				waits[path]++
				importers[imported] = append(importers[imported], path)
			}
		}
		if waits[path] == 0 {
			ready = append(ready, path)
		}
	}
	for len(ready) > 0 {
		path := ready[0]
		ready = ready[1:]
		order = append(order, path)
		for _, importer := range importers[path] {
			if waits[importer]--; waits[importer] == 0 {
				at, _ := slices.BinarySearch(ready, importer)
				ready = slices.Insert(ready, at, importer)
			}
		}
	}
	return order
}

// A start is what a package does when it begins.
type start struct {
	surely, maybe bool // it has something to do: surely, or if the compiler does not do it before
	effect        bool // what it does may depend on what other packages do, or be seen by them
}

// startOf finds out what a package does when it begins. Packages of the standard library do nothing that others see.
func (s *Set) startOf(p *packages.Package) start {
	if p.Module == nil {
		return start{surely: p.PkgPath == "runtime" || testMain(p), maybe: true}
	}
	s.mu.Lock()
	known, ok := s.starts[p.ID]
	s.mu.Unlock()
	if ok {
		return known
	}
	r := startReader{pkg: p, names: map[string]bool{}}
	var files []*ast.File
	for _, name := range p.GoFiles {
		if filepath.Ext(name) != ".go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil || slices.ContainsFunc(file.Imports, importsC) || slices.ContainsFunc(file.Imports, importsAll) {
			r.start = start{maybe: true, effect: true}
		}
		if file != nil {
			files = append(files, file)
			r.declare(file)
		}
	}
	for _, file := range files {
		r.read(file)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts[p.ID] = r.start
	return r.start
}

// importsAll tells the import of all names of a package, of which nobody sees where they come from.
func importsAll(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "." }

// startReader reads the declarations of a package.
type startReader struct {
	pkg     *packages.Package
	names   map[string]bool   // that it declares for all files, and whether they are types
	imports map[string]string // of the file: paths by names
	start   start
}

// declare notes the types and functions of a file.
func (r *startReader) declare(file *ast.File) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				r.names[d.Name.Name] = false
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					r.names[spec.Name.Name] = true
				case *ast.ValueSpec: // a variable may be a function
					for _, name := range spec.Names {
						r.names[name.Name] = false
					}
				}
			}
		}
	}
}

// read looks at the init functions and the variables of a file.
func (r *startReader) read(file *ast.File) {
	r.imports = map[string]string{}
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		if p := r.pkg.Imports[imported]; p != nil && p.Name != "" {
			name = p.Name
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		r.imports[name] = imported
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "init" && d.Body != nil && len(d.Body.List) > 0 {
				r.start = start{surely: true, maybe: true, effect: true}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR {
					continue
				}
				for _, value := range v.Values {
					_, literal := ast.Unparen(value).(*ast.BasicLit)
					r.start.maybe = r.start.maybe || !literal
					r.start.effect = r.start.effect || r.acts(value)
				}
			}
		}
	}
}

// acts reports whether evaluating an expression calls something that may have an effect, or reads what another package may set.
func (r *startReader) acts(e ast.Node) (acts bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			acts = acts || n.Op == token.ARROW
		case *ast.CallExpr:
			if !r.harmless(n.Fun) {
				acts = true
				return false
			}
			for _, arg := range n.Args {
				acts = acts || r.acts(arg)
			}
			return false
		case *ast.SelectorExpr:
			if of, ok := r.object(n).(*types.Var); ok {
				acts = acts || !standardError(of)
				return false
			}
		}
		return !acts
	})
	return acts
}

// object is what x.Name is, if x is a package. If that is not known, it is a variable.
func (r *startReader) object(n *ast.SelectorExpr) types.Object {
	x, ok := n.X.(*ast.Ident)
	if !ok || r.imports[x.Name] == "" {
		return nil
	}
	if p := r.pkg.Imports[r.imports[x.Name]]; p != nil && p.Types != nil {
		if o := p.Types.Scope().Lookup(n.Sel.Name); o != nil {
			return o
		}
	}
	return types.NewVar(token.NoPos, nil, n.Sel.Name, nil)
}

// standardError tells io.EOF and its like, which nobody sets.
func standardError(v *types.Var) bool {
	if v.Pkg() == nil || !goroot.Has(v.Pkg().Path()) {
		return false
	}
	return v.Name() == "EOF" || strings.HasPrefix(v.Name(), "Err")
}

// pure are functions that do nothing but compute their result.
var pure = map[string]bool{"errors.New": true, "regexp.MustCompile": true, "reflect.TypeOf": true, "reflect.TypeFor": true, "strings.NewReplacer": true,
	"strings.Repeat": true, "strings.Split": true, "strings.Fields": true, "strings.ToLower": true, "strings.ToUpper": true, "strings.Join": true,
	"math/big.NewInt": true, "math.Inf": true, "math.NaN": true, "math.Sqrt": true, "math.Log": true, "math.Log2": true, "math.Pow": true}

// harmless tells the functions in a call that have no effect: builtins, conversions and those of the table.
func (r *startReader) harmless(fun ast.Expr) bool {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	case *ast.StarExpr: // (*T)(nil)
		return r.harmless(fun.X)
	case *ast.IndexExpr:
		return r.harmless(fun.X)
	case *ast.Ident:
		own, known := r.names[fun.Name]
		return known && own || !known && types.Universe.Lookup(fun.Name) != nil && fun.Name != "panic" && fun.Name != "print" && fun.Name != "println"
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		if !ok || r.imports[x.Name] == "" {
			return false
		}
		_, isType := r.object(fun).(*types.TypeName)
		return isType || pure[r.imports[x.Name]+"."+fun.Sel.Name]
	}
	return false
}
