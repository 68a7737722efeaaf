package builds

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

// Load loads the packages that change, and the packages of the module that share a program with
// them, in the given configuration. It loads them with their tests, types and syntax. Compile
// errors are not fatal; they are in the Errors field of the package. Packages that are loaded only
// because others import them have only types. In a file that imports "C", the names that the import
// declares have no type. A package without files in the configuration is omitted. The packages are
// shared and must not be modified.
func (s *Set) Load(ctx context.Context, c Config) ([]*packages.Package, error) {
	b, err := s.loadBefore(ctx, c)
	if err != nil {
		return nil, err
	}
	return slices.Clone(b.roots), nil
}

// A loading contains the loaded packages of one configuration, before or after an edit.
type loading struct {
	roots    []*packages.Package          // packages to inspect
	programs []*packages.Package          // programs in roots, including test programs
	byID     map[string]*packages.Package // packages by ID, including imported packages
	reused   map[*packages.Package]bool   // packages that the edit does not change
	broken   map[*packages.Package]string // why the package or one of its imports does not compile
}

// unedited contains the packages of a configuration before an edit. They are loaded only once.
type unedited struct {
	mu     sync.Mutex
	loaded *loading
	err    error // the error of loading, unless it was interrupted
}

// loadBefore returns the packages of a configuration as they are on disk. It loads them on the
// first call.
func (s *Set) loadBefore(ctx context.Context, c Config) (*loading, error) {
	s.mu.Lock()
	b := s.before[c.String()]
	if b == nil {
		b = &unedited{}
		s.before[c.String()] = b
	}
	s.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.loaded != nil || b.err != nil {
		return b.loaded, b.err
	}
	loaded, err := s.load(ctx, c, nil, &loading{})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b.loaded, b.err = loaded, err
	return loaded, err
}

// load loads the packages of a configuration, with the overlay as the new contents of files. It
// reuses the packages that were loaded before the edit and that the overlay does not affect.
func (s *Set) load(ctx context.Context, c Config, overlay map[string][]byte, before *loading) (*loading, error) {
	l := &loading{byID: map[string]*packages.Package{}, reused: map[*packages.Package]bool{}, broken: map[*packages.Package]string{}}
	patterns := s.patterns(c, overlay)
	if len(patterns) == 0 {
		return l, nil
	}
	texts := overlay
	if c.String() == s.Present.String() && len(s.Unlisted.Folders) > 0 {
		patterns, texts = append(patterns, s.Unlisted.Folders...), maps.Clone(s.Unlisted.Overlay)
		maps.Copy(texts, overlay)
	}
	listed, err := packages.Load(&packages.Config{
		Context: ctx, Dir: s.module.root, Env: s.environ(c), BuildFlags: []string{"-tags=" + strings.Join(c.Tags, ",")}, Tests: true, Overlay: texts, Fset: s.Fset,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	s.Unlisted.Rename(listed...)
	t := &typing{Set: s, loading: l, config: c, overlay: overlay, before: before, root: map[*packages.Package]bool{}}
	for _, p := range listed {
		t.root[p] = !testmain.Is(p) && len(p.GoFiles) > 0
		if t.root[p] {
			l.roots = append(l.roots, p)
		}
		if testmain.Is(p) || p.Name == "main" && p.ForTest == "" {
			l.programs = append(l.programs, p)
		}
	}
	packages.Visit(listed, func(*packages.Package) bool { return ctx.Err() == nil }, t.check)
	return l, ctx.Err()
}

// patterns returns the package patterns of those folders to inspect that have files in a
// configuration.
func (s *Set) patterns(c Config, overlay map[string][]byte) (all []string) {
	for _, f := range s.look {
		takes := slices.ContainsFunc(f.files, func(file *source) bool { return s.rules.takes(c, file.class) })
		for name, data := range overlay {
			class := classOf(filepath.Base(name), data)
			takes = takes || filepath.Dir(name) == f.dir && s.rules.takes(c, &class)
		}
		if takes {
			all = append(all, "./"+s.Short(f.dir))
		}
	}
	return all
}

// typing type-checks the packages that the go command has listed.
type typing struct {
	*Set
	*loading
	config  Config
	overlay map[string][]byte
	before  *loading
	root    map[*packages.Package]bool
}

// check fills in the fields of p that the go command does not provide. It must be called for all
// packages that p imports before it is called for p.
func (t *typing) check(p *packages.Package) {
	t.byID[p.ID] = p
	p.Fset, p.TypesSizes = t.Fset, types.SizesFor("gc", t.config.GOARCH)
	switch {
	case testmain.Is(p):
		return
	case p.PkgPath == "unsafe":
		p.Types = types.Unsafe
		return
	}
	if old := t.unchanged(p); old != nil {
		p.Types, p.TypesInfo, p.Syntax, p.CompiledGoFiles, p.Errors, p.IllTyped = old.Types, old.TypesInfo, old.Syntax, old.CompiledGoFiles, old.Errors, old.IllTyped
		t.reused[p] = true
	} else {
		t.types(p)
	}
	t.judge(p)
}

// unchanged returns the package that was loaded before the edit, or nil if anything that determines
// its types has changed.
func (t *typing) unchanged(p *packages.Package) *packages.Package {
	old := t.before.byID[p.ID]
	if old == nil || !slices.Equal(old.GoFiles, p.GoFiles) || len(old.Imports) != len(p.Imports) {
		return nil
	}
	for _, name := range p.GoFiles {
		if _, ok := t.overlay[name]; ok {
			return nil
		}
	}
	for path, imported := range p.Imports {
		if was := old.Imports[path]; was == nil || was.Types != imported.Types {
			return nil
		}
	}
	return old
}

// types parses and type-checks a package. It checks function bodies only if the package is to be
// inspected.
func (t *typing) types(p *packages.Package) {
	var info *types.Info
	if t.root[p] {
		info = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
			Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, FileVersions: map[*ast.File]string{},
		}
	}
	files := t.parse(p)
	config := types.Config{
		Importer: importer(p.Imports), Sizes: p.TypesSizes, FakeImportC: true, IgnoreFuncBodies: !t.root[p],
		Error: func(err error) {
			if err, ok := err.(types.Error); ok && !t.isInside(p, files, err) {
				p.Errors = append(p.Errors, packages.Error{Pos: t.Fset.PositionFor(err.Pos, false).String(), Msg: err.Msg, Kind: packages.TypeError})
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	p.Types = types.NewPackage(p.PkgPath, p.Name)
	_ = types.NewChecker(&config, t.Fset, p.Types, info).Files(files) // config.Error receives all errors
	p.IllTyped = p.IllTyped || len(p.Errors) > 0
	p.TypesInfo = info
	if info != nil {
		p.Syntax = files
	}
}

// isInside reports whether a type error may be ignored because it does not affect the packages that
// import p. This is the case if p only shares a program with the packages that change, and if the
// error is in a function body or is a soft error such as an unused import. Since importers compile
// with the declarations of p, isInside sets p.IllTyped instead of adding the error to p.Errors.
func (t *typing) isInside(p *packages.Package, files []*ast.File, err types.Error) bool {
	if t.InCore(p) || !t.root[p] {
		return false
	}
	inside := err.Soft || slices.ContainsFunc(files, func(file *ast.File) bool {
		return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			fn, ok := d.(*ast.FuncDecl)
			return ok && fn.Body != nil && fn.Body.Pos() <= err.Pos && err.Pos < fn.Body.End()
		})
	})
	p.IllTyped = p.IllTyped || inside
	return inside
}

// parse parses the files of a package, and adds syntax errors to its Errors.
func (t *typing) parse(p *packages.Package) (files []*ast.File) {
	p.CompiledGoFiles = slices.DeleteFunc(slices.Clone(p.GoFiles), func(name string) bool { return filepath.Ext(name) != ".go" })
	for _, name := range p.CompiledGoFiles {
		data, changed := t.overlay[name]
		var got *parsedFile
		switch {
		case changed:
			got = parseWhole(t.Fset, name, data)
		case t.root[p]:
			got = t.parsed.parseFull(t.Fset, name)
		default:
			got = t.parsed.outside(t.Fset, name)
		}
		if got.file != nil {
			files = append(files, got.file)
		}
		p.Errors = append(p.Errors, got.errors...)
	}
	return files
}

// judge records why a package does not compile. It does nothing if the package compiles.
func (t *typing) judge(p *packages.Package) {
	if len(p.Errors) > 0 {
		t.broken[p] = t.oneLine(p.Errors[0])
		return
	}
	for _, path := range slices.Sorted(maps.Keys(p.Imports)) {
		if why, ok := t.broken[p.Imports[path]]; ok {
			t.broken[p] = fmt.Sprintf("it imports %s: %s", path, why)
			return
		}
	}
}

// An importer maps the import paths in a package to the imported packages. It implements
// types.Importer.
type importer map[string]*packages.Package

// Import returns the package with the given path.
func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	p := i[path]
	switch {
	case p == nil || p.Types == nil:
		return nil, fmt.Errorf("no package %s", path)
	case len(p.GoFiles) == 0 && len(p.Errors) > 0:
		return nil, errors.New(p.Errors[0].Msg)
	}
	return p.Types, nil
}
