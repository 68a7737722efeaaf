package builds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

// A start describes the initialization of a package.
type start struct {
	surely, maybe bool // has initialization work: surely, or unless the compiler does it statically
	effect        bool // initialization may depend on other packages' initialization, or affect it

	links []string // full linker names that it declares or uses, without the standard library
	keeps []string // full names of the standard library's error variables that it reads
	sets  []string // standard library variables that it may set; PATH.* for a whole package
}

// startOf analyzes the initialization of a package. Packages of the standard library have no
// effects that other packages observe. If they import the runtime, directly or indirectly, they
// take part in the initialization order, as the runtime itself does. The few others are analyzed
// like any other package.
func (s *Set) startOf(p *packages.Package) start {
	standard := p.Module == nil
	if standard && (testmain.Is(p) || reachesRuntime(p)) {
		return start{surely: p.PkgPath == "runtime" || testmain.Is(p), maybe: true}
	}
	key := strings.Join(p.GoFiles, "\n") // the files may differ between configurations
	s.mu.Lock()
	known, ok := s.starts[key]
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
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution|parser.ParseComments)
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
		r.findSets(file)
		r.findLinks(file)
	}
	for _, name := range p.OtherFiles {
		r.findSymbols(name)
	}
	if standard {
		r.start = start{maybe: r.start.maybe}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starts[key] = r.start
	return r.start
}

// reachesRuntime reports whether a package of the standard library is the runtime or imports it,
// directly or indirectly.
func reachesRuntime(p *packages.Package) bool {
	if p.PkgPath == "runtime" {
		return true
	}
	for _, imported := range p.Imports {
		if reachesRuntime(imported) {
			return true
		}
	}
	return false
}

// importsAll reports whether an import is a dot import, whose names are used without a qualifier.
func importsAll(spec *ast.ImportSpec) bool { return spec.Name != nil && spec.Name.Name == "." }

// A startReader collects the facts for a start from the declarations of a package.
type startReader struct {
	pkg     *packages.Package
	names   map[string]bool   // declared names; the value is true for types
	imports map[string]string // import paths in the current file, by name
	start   start
}

// declare records the names of the types, functions and variables that a file declares.
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
				case *ast.ValueSpec: // a variable may hold a function
					for _, name := range spec.Names {
						r.names[name.Name] = false
					}
				}
			}
		}
	}
}

// read analyzes the init functions and the variable initializers of a file.
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

// acts reports whether the evaluation of an expression calls a function that may have an effect, or
// reads a variable that another package may set.
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
				if standardError(of) {
					r.start.keeps = append(r.start.keeps, fullName(of))
				} else {
					acts = true
				}
				return false
			}
		}
		return !acts
	})
	return acts
}

// object returns the object that x.Name denotes if x is a package name, and nil otherwise. An
// unknown object is treated as a variable.
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

// standardError reports whether a variable is an error value of the standard library, such as
// io.EOF. Programs hardly ever assign to these.
func standardError(v *types.Var) bool {
	if v.Pkg() == nil || !goroot.Has(v.Pkg().Path()) {
		return false
	}
	return v.Name() == "EOF" || strings.HasPrefix(v.Name(), "Err")
}

// fullName returns the name of a variable with its package path, such as io.EOF.
func fullName(v *types.Var) string { return v.Pkg().Path() + "." + v.Name() }

// pure contains functions of the standard library that have no effects.
var pure = map[string]bool{"errors.New": true, "regexp.MustCompile": true, "reflect.TypeOf": true, "reflect.TypeFor": true, "strings.NewReplacer": true,
	"strings.Repeat": true, "strings.Split": true, "strings.Fields": true, "strings.ToLower": true, "strings.ToUpper": true, "strings.Join": true,
	"math/big.NewInt": true, "math.Inf": true, "math.NaN": true, "math.Sqrt": true, "math.Log": true, "math.Log2": true, "math.Pow": true}

// harmless reports whether a call of fun has no effects: fun is a builtin, a type, or a function in
// pure.
func (r *startReader) harmless(fun ast.Expr) bool {
	switch fun := ast.Unparen(fun).(type) {
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType:
		return true
	case *ast.StarExpr: // as in (*T)(nil)
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
