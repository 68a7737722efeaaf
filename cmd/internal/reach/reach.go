// Package reach determines which code can reach a value. It inspects a whole module, including its
// tests. When coppice fix gives a struct (the owner) an allocator or scratch space, this is safe
// only if no other code can observe, share or copy the struct. Code whose effect is unknown is
// assumed to let other code access the struct; it is called a way out. A value leads to everything
// that is reachable from it.
//
//	reach.go     the module: what is loaded, and its functions
//	walk.go      the types that are reachable from a type
//	confined.go  the ways out: goroutines, package variables, interfaces, calls to other modules, copies
//	fresh.go     owners by value that are still unused
//	exposed.go   what other modules can name and so reach; interfaces that always hold one struct
//	seen.go      code that sees the fields: reflection, sizes, types with the same fields
//	closures.go  where a function value that has captured an owner goes
//	notnil.go    whether an owner may be nil where it is used
//	linked.go    what is used by linker names, and by assembly
//	rooms.go     code that may see the capacity of a slice
//	appends.go   functions that may see a capacity: called, or used as values
//	headers.go   code that may read a capacity through unsafe
//	given.go     values that are passed to code without a known body
//	leads.go     the lists to which such values lead
//	elsewhere.go the functions that other modules may create
//	origins.go   which variables and fields only ever have lists that are allocated for them
//	elements.go  the same for the elements of lists, arrays and maps
//	names.go     names that are taken: fields and methods, including promoted ones
//	uses.go      code that inspects the call stack
//	sources.go   the values that the module assigns to a field of an interface type
//	pinned.go    values that need memory of their own: finalizers, weak pointers, casts
//	keepers.go   the same, if a different module observes when values die
//	holders.go   what values of other modules may hold
//	collected.go files and connections that the collector closes
//	borrowed.go  constants and arrays of other modules
//	atomics.go   values with numbers of 64 bits for atomic operations
//	halves.go    whether such a number may be combined from smaller ones
//
// Package reach uses two other packages: typekey, which represents types as strings, and carriers,
// which finds the types that lead to an owner. Both inspect only types.
//
// An owner is confined if values that lead to it are never kept where other code could find them:
// in a package variable, behind an interface, in the result of an exported function, in a channel,
// or in a go statement. Then only the call that created the owner, and the calls nested in it, have
// access to the owner. All of these run in one goroutine. The analysis considers only types and
// does not distinguish two owners of the same type. It may therefore reject a change that is safe,
// but never accepts one that is not.
//
// docs/decisions/0038 explains why one analysis serves all remedies. Functions are in the SSA form
// of golang.org/x/tools/go/ssa. Because the bodies of functions of other modules are not loaded,
// passing a value to such a function is a way out. The exceptions are a few functions whose
// behavior is known.
package reach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/coppice-go/coppice/cmd/internal/builds"
	"github.com/coppice-go/coppice/cmd/internal/reach/carriers"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

// A Module consists of all packages of the main modules, with their tests. Packages that do not
// import the owner's package are included, because they may get its values or functions through
// their own types and through type parameters.
type Module struct {
	fset      *token.FileSet
	loaded    []*packages.Package
	reflects  bool            // some package, of any module, imports one that calls methods by name
	odd       bool            // the functions cannot be built
	dark      []string        // files that the go command does not list, of packages that do not compile
	broken    []broken        // packages with errors
	own       map[string]bool // paths of packages with bodies
	mains     map[string]bool // those of package main, which cannot be imported
	seen      map[string]bool // file names
	files     []file          // of all packages of the main modules, with those that this build leaves out
	functions []*ssa.Function // with bodies

	// These fields index the functions.
	calls    map[*ssa.Function][]ssa.CallInstruction // static ones
	dynamic  map[string][]ssa.CallInstruction        // calls of function values by signature
	asValue  map[*ssa.Function]bool                  // functions that are used other than by a call
	closures map[*ssa.Function][]*ssa.MakeClosure
	params   map[string][]*ssa.Parameter   // by the position of the declaration
	fields   map[typekey.Field][]ssa.Value // FieldAddr and Field, by struct and number
	wholes   map[string]bool               // structs that are assigned as a whole
	recast   map[string]bool               // structs that are, or are pointed to by, results of conversions
	bodies   map[string]*ssa.Function      // by their full names

	unevaluated []extent // code that may not be evaluated, although it has instructions

	// These fields describe all packages.
	others   []file            // of the packages of other modules, with those that this build leaves out
	moduleOf map[string]string // the paths of other modules, by the paths of their packages
	keeps    bool              // a package of another module may observe when values die

	// These fields cache results that are computed on demand.
	confined   map[string]string             // by the owner
	carriersOf map[string]*carriers.Carriers // the types that lead to it
	following  map[*ssa.Parameter]bool
	boxed      map[string]bool                 // types of values that are converted to interfaces
	boxes      map[string][]*ssa.MakeInterface // these conversions
	boxMethods map[string]bool                 // methods that can be called through interfaces
	methodSets typeutil.MethodSetCache
	exposing   map[string]bool         // types that are reachable from names that other modules can use
	given      map[string]bool         // signatures of functions that may be passed to code without a known body
	pins       map[string]pin          // by types
	shared     map[types.Type]bool     // types whose values may leave the module
	changes    map[string][]types.Type // the interfaces that are converted to an interface, by its key
	captures   map[string][]types.Type // types of captured variables, by function signature
	unsafes    []types.Type            // of the values that become an unsafe.Pointer
	streams    bool                    // os.Stdout may be another file
	makes      bool                    // reflection makes functions and values
	atomics    *atomicUse              // where atomic operations on 64 bits are
	handed     map[string]string       // where addresses of numbers in structs go, by their types
	rooms      map[string][]Room       // by types of slices
	handedTo   map[string][]types.Type // what values of other modules may hold, by their types
	hiding     map[string]bool         // types that may hide what their values hold
	defined    []definition
	links      map[string][]link // by the package whose files contain them
}

// broken describes a package that does not compile, and the reason.
type broken struct{ pkgPath, why string }

// A file is a source file of a package, identified by its absolute name.
type file struct{ pkg, name string }

// Names is the mode in which all packages of a module, and their imports, are loaded. Mode is the
// mode for the packages of the main modules.
const (
	Names = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedFiles |
		packages.NeedForTest
	Mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedSyntax | packages.NeedTypesSizes | packages.NeedModule | packages.NeedForTest
)

// Load loads the module that contains dir or, in a workspace, all of its main modules. They must
// contain the package pkgPath. If env is nil, Load uses the environment of the process. more
// contains packages whose files the go command does not list; it may be nil. Packages in more that
// do not compile are omitted; Dark returns their files.
func Load(ctx context.Context, dir string, env []string, pkgPath string, more *builds.Unlisted) (*Module, error) {
	roots, err := mainModules(ctx, dir, env)
	if err != nil {
		return nil, err
	}
	var patterns []string
	for _, root := range roots {
		patterns = append(patterns, root+string(filepath.Separator)+"...")
	}
	fset := token.NewFileSet()
	config := packages.Config{Context: ctx, Mode: Names, Dir: dir, Env: env, Tests: true, Fset: fset}
	if more != nil {
		patterns = append(patterns, more.Folders...)
		config.Overlay, config.ParseFile = more.Overlay, parsing(more)
	}
	names, err := packages.Load(&config, patterns...)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(names, func(p *packages.Package) bool { return p.PkgPath == pkgPath }) {
		return nil, fmt.Errorf("no package %s in the module of %s", pkgPath, dir)
	}
	config.Mode = Mode
	loaded, err := packages.Load(&config, append(patterns, Unlisted(names)...)...)
	if err != nil {
		return nil, err
	}
	var dark []string
	if more != nil {
		more.Rename(names...)
		loaded = slices.DeleteFunc(loaded, func(p *packages.Package) bool {
			gone := more.Rename(p) && (len(p.Errors) > 0 || p.IllTyped)
			if gone {
				dark = append(dark, p.GoFiles...)
			}
			return gone
		})
	}
	m := Of(fset, loaded)
	m.Add(names)
	m.dark = dark
	return m, nil
}

// parsing returns a function that parses a file under its name on disk instead of its name in the
// overlay.
func parsing(more *builds.Unlisted) func(*token.FileSet, string, []byte) (*ast.File, error) {
	return func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
		if real, ok := more.Names[name]; ok {
			data, err := os.ReadFile(real)
			if err != nil {
				return nil, err
			}
			name, text = real, data
		}
		return parser.ParseFile(fset, name, text, parser.AllErrors|parser.ParseComments)
	}
}

// Unlisted returns the import paths of packages that the listed packages import, but that the go
// command does not list because they are in folders such as testdata. It considers only packages of
// the main modules.
func Unlisted(names []*packages.Package) (paths []string) {
	listed := map[string]bool{}
	for _, p := range names {
		listed[p.PkgPath] = true
	}
	packages.Visit(names, nil, func(p *packages.Package) {
		if !listed[p.PkgPath] && p.Module != nil && p.Module.Main {
			listed[p.PkgPath] = true // a package may occur again, for a test
			paths = append(paths, p.PkgPath)
		}
	})
	slices.Sort(paths)
	return paths
}

// Add records facts about all packages of the module: their files, and their imports from other
// modules. The packages must have been loaded in mode Names.
func (m *Module) Add(names []*packages.Package) {
	m.addFiles(names)
	packages.Visit(names, nil, func(p *packages.Package) {
		if p.Module != nil && !p.Module.Main {
			for _, name := range slices.Concat(p.GoFiles, p.OtherFiles, p.IgnoredFiles) {
				m.others = append(m.others, file{p.PkgPath, name})
			}
			m.moduleOf[p.PkgPath] = p.Module.Path
			m.reflects = m.reflects || slices.ContainsFunc(reflecting, func(path string) bool { return p.Imports[path] != nil })
			m.keeps = m.keeps || keeps(p)
		}
	})
}

// Files returns the absolute names of the Go files of all packages in the main modules, including
// files that this build excludes.
func (m *Module) Files() (names []string) {
	for _, f := range m.files {
		if strings.HasSuffix(f.name, ".go") {
			names = append(names, f.name)
		}
	}
	return names
}

// Of analyzes the packages of one build configuration. They must have been loaded in Mode, with
// their tests.
func Of(fset *token.FileSet, loaded []*packages.Package) *Module {
	m := &Module{fset: fset, loaded: slices.DeleteFunc(slices.Clone(loaded), testmain.Is), own: map[string]bool{}, mains: map[string]bool{}, moduleOf: map[string]string{}}
	m.addFiles(m.loaded)
	m.build()
	return m
}

// Dark returns the files that the go command does not list and that do not compile. Code in them
// may do anything that another module can do.
func (m *Module) Dark() []string { return m.dark }

// Has reports whether a parameter belongs to a function of this module. The parameter is identified
// by the position of its declaration.
func (m *Module) Has(parameter token.Position) bool { return len(m.params[parameter.String()]) > 0 }

// addFiles records the files of packages. Each file is recorded once.
func (m *Module) addFiles(all []*packages.Package) {
	if m.seen == nil {
		m.seen = map[string]bool{}
	}
	for _, p := range all {
		if testmain.Is(p) {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.OtherFiles, p.IgnoredFiles) {
			if !m.seen[name] {
				m.seen[name] = true
				m.files = append(m.files, file{p.PkgPath, name})
			}
		}
	}
}

// isOuterTest reports whether a package is an external test package.
func isOuterTest(p *packages.Package) bool { return p.ForTest != "" && p.PkgPath == p.ForTest+"_test" }

// mainModules returns the folders of the main modules. In a workspace there may be several.
func mainModules(ctx context.Context, dir string, env []string) (roots []string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("go list -m: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	for line := range strings.Lines(string(out)) {
		roots = append(roots, strings.TrimRight(line, "\r\n"))
	}
	return roots, err
}

// build constructs the SSA form of the functions, and their index.
func (m *Module) build() {
	known := map[*packages.Package]string{}
	for _, p := range m.loaded {
		m.mains[p.PkgPath] = (p.Name == "main" || isOuterTest(p)) && (m.mains[p.PkgPath] || !m.own[p.PkgPath]) // no other package has that path
		m.own[p.PkgPath] = true
		if why := wrong(p, known); why != "" {
			m.broken = append(m.broken, broken{p.PkgPath, fmt.Sprintf("%s: %s", p.ID, why)})
		}
	}
	m.loaded = slices.DeleteFunc(m.loaded, func(p *packages.Package) bool { return p.Types == nil })
	for _, p := range m.loaded {
		m.reflects = m.reflects || slices.ContainsFunc(p.Types.Imports(), func(i *types.Package) bool { return slices.Contains(reflecting, i.Path()) })
	}
	prog, err := functions(m.loaded)
	if err != nil {
		m.odd = len(m.broken) == 0
		m.broken = append(m.broken, broken{"", err.Error()})
		return
	}
	all := ssautil.AllFunctions(prog) // with wrappers and instances, and without uncalled functions
	for _, p := range m.loaded {
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if decl, ok := d.(*ast.FuncDecl); ok {
					if fn, ok := p.TypesInfo.Defs[decl.Name].(*types.Func); ok {
						declared(prog.FuncValue(fn), all)
					}
				}
			}
		}
	}
	for fn := range all {
		if fn.Blocks != nil && m.has(fn) {
			m.functions = append(m.functions, fn)
		}
	}
	slices.SortFunc(m.functions, func(a, b *ssa.Function) int {
		x, y := m.at(a.Pos()), m.at(b.Pos()) // positions depend on which file was read first
		return cmp.Or(strings.Compare(x.Filename, y.Filename), cmp.Compare(x.Offset, y.Offset), strings.Compare(a.String(), b.String()))
	})
	m.findUnevaluated()
	m.index()
}

// functions constructs the SSA form of the functions in the given packages. It returns an error for
// code that package ssa does not support, such as files that cgo has not translated.
func functions(loaded []*packages.Package) (prog *ssa.Program, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the functions cannot be analyzed: %v", p)
		}
	}()
	prog, _ = ssautil.Packages(loaded, ssa.InstantiateGenerics|ssa.BuildSerially) // in this goroutine, where a panic can be caught
	prog.Build()
	return prog, nil
}

// declared adds fn and the closures inside it to all.
func declared(fn *ssa.Function, all map[*ssa.Function]bool) {
	if fn == nil || all[fn] {
		return
	}
	all[fn] = true
	for _, closure := range fn.AnonFuncs {
		declared(closure, all)
	}
}

// has reports whether a function belongs to the loaded packages. Wrappers and instances of their
// functions do, too.
func (m *Module) has(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	switch {
	case fn.Pkg != nil:
		return m.own[fn.Pkg.Pkg.Path()]
	case fn.Object() != nil && fn.Object().Pkg() != nil:
		return m.own[fn.Object().Pkg().Path()]
	}
	return false
}

// index records the callers of each function and the instructions that select each field.
func (m *Module) index() {
	m.calls, m.dynamic = map[*ssa.Function][]ssa.CallInstruction{}, map[string][]ssa.CallInstruction{}
	m.asValue, m.closures = map[*ssa.Function]bool{}, map[*ssa.Function][]*ssa.MakeClosure{}
	m.params, m.fields = map[string][]*ssa.Parameter{}, map[typekey.Field][]ssa.Value{}
	m.bodies, m.wholes, m.recast = map[string]*ssa.Function{}, map[string]bool{}, map[string]bool{}
	for _, fn := range m.functions {
		m.bodies[fn.String()] = fn
		for _, p := range fn.Params {
			if v, ok := p.Object().(*types.Var); ok && v != nil && fn.Synthetic == "" {
				key := m.at(v.Pos()).String()
				m.params[key] = append(m.params[key], p)
			}
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				m.note(i)
			}
		}
	}
}

// note adds one instruction to the index.
func (m *Module) note(i ssa.Instruction) {
	var callee ssa.Value
	if call, ok := i.(ssa.CallInstruction); ok {
		common := call.Common()
		if fn := common.StaticCallee(); fn != nil {
			m.calls[fn] = append(m.calls[fn], call)
			callee = common.Value
		} else if !common.IsInvoke() {
			key := typekey.OfSignature(common.Signature())
			m.dynamic[key] = append(m.dynamic[key], call)
		}
	}
	switch i := i.(type) {
	case *ssa.MakeClosure:
		m.closures[i.Fn.(*ssa.Function)] = append(m.closures[i.Fn.(*ssa.Function)], i)
	case *ssa.Store:
		if _, ok := i.Val.Type().Underlying().(*types.Struct); ok {
			m.wholes[typekey.OfField(m.fset, i.Val.Type(), 0).Type] = true
		}
	case *ssa.ChangeType:
		m.recast[typekey.OfField(m.fset, i.Type(), 0).Type] = true
	case *ssa.Convert:
		m.recast[typekey.OfField(m.fset, i.Type(), 0).Type] = true
	case *ssa.FieldAddr:
		key := typekey.OfField(m.fset, i.X.Type(), i.Field)
		m.fields[key] = append(m.fields[key], i)
	case *ssa.Field:
		key := typekey.OfField(m.fset, i.X.Type(), i.Field)
		m.fields[key] = append(m.fields[key], i)
	}
	for _, o := range i.Operands(nil) {
		if fn, ok := (*o).(*ssa.Function); ok && *o != callee {
			m.asValue[fn] = true
		}
	}
}

// at returns a position in the file that the compiler reads, ignoring //line directives.
func (m *Module) at(pos token.Pos) token.Position { return m.fset.PositionFor(pos, false) }

// place formats a position as a base name and a line number, as in parse.go:12.
func (m *Module) place(pos token.Pos) string {
	if !pos.IsValid() {
		return "a place that the source does not show"
	}
	p := m.at(pos)
	return fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)
}

// placeOf formats the position of an instruction. If it has none, placeOf uses the position of an
// operand or of the enclosing function.
func (m *Module) placeOf(i ssa.Instruction) string {
	if i.Pos().IsValid() {
		return m.place(i.Pos())
	}
	for _, o := range i.Operands(nil) {
		if *o != nil && (*o).Pos().IsValid() && (*o).Parent() == i.Parent() {
			return m.place((*o).Pos())
		}
	}
	return m.place(i.Parent().Pos())
}

// inTest reports whether a function is declared in a test file.
func (m *Module) inTest(fn *ssa.Function) bool {
	return strings.HasSuffix(m.at(fn.Pos()).Filename, "_test.go")
}
