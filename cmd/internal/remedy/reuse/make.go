package reuse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// noPool is the reason why a site is left unchanged if there is no pool. Coppice does not add a
// pool, because only a person knows where to call Put.
const noPool = "coppice fix only changes an existing sync.Pool, but there is none here"

// poolPath is the import path of package pool, which contains the typed pools.
const poolPath = "github.com/coppice-go/coppice/pool"

// A pooling replaces each sync.Pool of a package with a pool.Pool. uses.go checks the uses of a
// pool.
type pooling struct {
	*change.Editor
	pools []*syncPool
}

// A syncPool is a package variable that is a sync.Pool with a New function.
type syncPool struct {
	variable *types.Var
	file     []ast.Node        // path from the file to the literal
	literal  *ast.CompositeLit // sync.Pool{New: ...}
	make     *ast.FuncLit
	element  types.Type // T, for values of type *T
	zero     bool       // whether New is return new(T), and nothing else
	gets     []get
	puts     []put
}

// A get is an expression p.Get().(*T).
type get struct {
	path   []ast.Node // path to the assertion
	assert *ast.TypeAssertExpr
}

// A put is a call p.Put(v).
type put struct {
	path  []ast.Node // path to the call
	call  *ast.CallExpr
	reset ast.Stmt // the statement v.Reset() just before the call; nil if there is none
}

// typedPool is the maker. It replaces each sync.Pool to which a site belongs with a pool.Pool.
func typedPool(r *change.Request) (*change.Change, error) {
	e, err := change.NewEditor(r)
	if err != nil {
		return nil, err
	}
	p := &pooling{Editor: e}
	for _, s := range r.Sites {
		path, why := p.place(s)
		if why != "" {
			p.Leave(s, why)
			continue
		}
		p.site(s, path)
	}
	p.About = "A sync.Pool becomes a pool.Pool: Get returns the type that New makes and Put takes, so that no assertion can fail. Values come back as they were put; " +
		"where each Put came after a Reset, Put calls it. Built with -race, the pool also panics where a value is put twice, or written to after it was put."
	p.Undo = "Replace pool.Pool with sync.Pool, and add an assertion after each Get."
	return &p.Change, nil
}

// place returns the path to the expression of a site, or the reason that the site is left
// unchanged.
func (p *pooling) place(s *site.Site) (path []ast.Node, why string) {
	switch {
	case s.Facts.Test:
		return nil, "it is in a test"
	case change.Generated(s) != "":
		return nil, change.Generated(s)
	}
	path, err := p.Expression(s)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), fmt.Sprintf("%s:%d: ", filepath.Base(s.File), s.Line))
	}
	return path, ""
}

// site changes the pool to which a site belongs.
func (p *pooling) site(s *site.Site, path []ast.Node) {
	v, literal, why := p.poolOf(path)
	if why == "" && !p.Library {
		why = "the module does not require Coppice, but the change needs its package pool"
	}
	if why != "" {
		p.Leave(s, why)
		return
	}
	if slices.ContainsFunc(p.pools, func(old *syncPool) bool { return old.variable == v }) {
		p.Did(s, "belongs to the same pool")
		return
	}
	pool, why := p.look(v, literal)
	if why == "" {
		why = p.write(pool)
	}
	if why != "" {
		p.Leave(s, why)
		return
	}
	p.pools = append(p.pools, pool)
	p.Did(s, v.Name()+" is a pool.Pool, without assertions")
}

// poolOf returns the pool whose New contains an expression, or from which the surrounding function
// gets values, and the path to the pool's literal. If there is none, poolOf returns the reason.
func (p *pooling) poolOf(path []ast.Node) (v *types.Var, literal []ast.Node, why string) {
	info := p.Package.TypesInfo
	var scope ast.Node
	for i, n := range path {
		switch n := n.(type) {
		case *ast.CompositeLit:
			if isSyncPool(info.TypeOf(n)) {
				if name := declaredAs(path[:i+1]); name != nil {
					v, _ = info.Defs[name].(*types.Var)
				}
				if v == nil || v.Parent() != p.Package.Types.Scope() {
					return nil, nil, "coppice fix only changes a sync.Pool in a variable of the package, but this one is elsewhere"
				}
				return v, path[:i+1], ""
			}
		case *ast.FuncDecl:
			scope = n
		}
	}
	if scope == nil {
		return nil, nil, noPool
	}
	ast.Inspect(scope, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if name, is := selectorName(selector); ok && is && selector.Sel.Name == "Get" {
			if used, is := info.Uses[name].(*types.Var); is && v == nil && used.Parent() == p.Package.Types.Scope() && isSyncPool(used.Type()) {
				v = used
			}
		}
		return true
	})
	if v == nil {
		return nil, nil, noPool
	}
	if literal = p.literalOf(v); literal == nil {
		return nil, nil, "the pool has no New, so Get may return nil"
	}
	return v, literal, ""
}

// selectorName returns the name x in a selector x.f.
func selectorName(s *ast.SelectorExpr) (name *ast.Ident, ok bool) {
	if s == nil {
		return nil, false
	}
	name, ok = ast.Unparen(s.X).(*ast.Ident)
	return name, ok
}

// isSyncPool reports whether a type is sync.Pool or a pointer to it.
func isSyncPool(t types.Type) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		t = pointer.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "sync" && named.Obj().Name() == "Pool"
}

// declaredAs returns the name of the variable whose initial value is the literal at the end of a
// path, as in var name = T{...} or &T{...}.
func declaredAs(path []ast.Node) *ast.Ident {
	up, at := change.Around(path)
	if address, ok := up.(*ast.UnaryExpr); ok && address.Op == token.AND {
		up, _ = change.Around(path[:at+1])
	}
	spec, ok := up.(*ast.ValueSpec)
	if !ok || len(spec.Names) != 1 || len(spec.Values) != 1 || spec.Type != nil {
		return nil
	}
	return spec.Names[0]
}

// literalOf returns the path to the literal that is the initial value of a variable.
func (p *pooling) literalOf(v *types.Var) (found []ast.Node) {
	for _, file := range p.Package.Syntax {
		ast.PreorderStack(file, nil, func(n ast.Node, above []ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if ok && isSyncPool(p.Package.TypesInfo.TypeOf(lit)) {
				path := append(slices.Clone(above), n)
				if name := declaredAs(path); name != nil && p.Package.TypesInfo.Defs[name] == v {
					found = path
				}
			}
			return found == nil
		})
	}
	return found
}

// look collects the data that is needed to change a pool, or returns the reason that the pool is
// left unchanged.
func (p *pooling) look(v *types.Var, literal []ast.Node) (pool *syncPool, why string) {
	lit := literal[len(literal)-1].(*ast.CompositeLit)
	pool = &syncPool{variable: v, file: literal, literal: lit}
	switch {
	case v.Exported():
		return nil, "the pool is exported, so other packages may use it"
	case p.World.Linked(p.Package.PkgPath, v.Name()) != "":
		return nil, "other packages use the pool by its linker name: " + p.World.Linked(p.Package.PkgPath, v.Name())
	case ast.IsGenerated(literal[0].(*ast.File)):
		return nil, "the file is generated; change what it is generated from"
	case !p.Untouched(lit):
		return nil, change.Busy
	}
	for _, e := range lit.Elts {
		pair, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return nil, "coppice fix looks for New by its name, but the pool is written without field names"
		}
		pool.make, _ = ast.Unparen(pair.Value).(*ast.FuncLit)
	}
	if pool.make == nil {
		return nil, "coppice fix reads only a New that is a function literal, but this one is not"
	}
	for _, c := range literal[0].(*ast.File).Comments { // comments in the body of New move with it
		if lit.Pos() < c.Pos() && c.End() < lit.End() && (c.Pos() < pool.make.Body.Pos() || c.Pos() > pool.make.Body.End()) {
			return nil, change.Busy
		}
	}
	if why := p.makes(pool); why != "" {
		return nil, why
	}
	if name := synchronizer(pool.element); name != "" {
		return nil, "a value has a " + name + ", which may be used after Put; pool.Pool reads what is put"
	}
	if file := p.elsewhere(v.Name()); file != "" {
		return nil, file + " may use the pool, too"
	}
	for _, file := range p.Package.Syntax {
		if why := p.uses(pool, file); why != "" {
			return nil, why
		}
	}
	if len(pool.gets) == 0 {
		return nil, "no code gets values from the pool"
	}
	return pool, ""
}

// makes determines the type of the values that New creates. It returns the reason if it cannot, and
// "" otherwise.
func (p *pooling) makes(pool *syncPool) (why string) {
	info := p.Package.TypesInfo
	if len(pool.make.Type.Results.List[0].Names) > 0 {
		return "New has a named result, which its body may read and set"
	}
	returns := 0
	ast.Inspect(pool.make.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt: // it may recover, and then Get returns a nil interface, not a nil pointer
			why = "New defers a call, so it may return nothing after a panic"
			return false
		case *ast.ReturnStmt:
			returns++
			pointer, ok := types.Unalias(info.TypeOf(n.Results[0])).(*types.Pointer)
			switch {
			case !ok:
				why = "New does not return a pointer, and pool.Pool hands out pointers"
			case !p.notNil(n.Results[0]) && !p.madeName(pool, n.Results[0]):
				why = "New may return nil"
			case pool.element != nil && !types.Identical(pool.element, pointer.Elem()):
				why = "New makes values of several types"
			default:
				pool.element = pointer.Elem()
			}
		}
		return true
	})
	if why == "" && returns == 0 {
		return "New returns nothing"
	}
	pool.zero = p.isZero(pool.make.Body)
	return why
}

// isZero reports whether a body consists of return new(T) or return &T{}.
func (p *pooling) isZero(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	only, ok := body.List[0].(*ast.ReturnStmt)
	return ok && len(only.Results) == 1 && p.isNew(only.Results[0])
}

// synchronizer returns the name of a type of package sync or sync/atomic that a value contains, or
// "" if it contains none.
func synchronizer(t types.Type) (name string) {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		if path := n.Obj().Pkg().Path(); path == "sync" || path == "sync/atomic" {
			return path + "." + n.Obj().Name()
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return synchronizer(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if name = synchronizer(f.Type()); name != "" {
				return name
			}
		}
	}
	return ""
}

// madeName reports whether the result of New is a variable that is never nil.
func (p *pooling) madeName(pool *syncPool, e ast.Expr) bool {
	name, ok := ast.Unparen(e).(*ast.Ident)
	return ok && p.onlyFromPool(pool, pool.make.Body, p.Package.TypesInfo.Uses[name])
}

// isNew reports whether an expression is new(T) or &T{}.
func (p *pooling) isNew(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return change.Builtin(p.Package.TypesInfo, e) == "new" && p.Package.TypesInfo.Types[e.Args[0]].IsType()
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(e.X).(*ast.CompositeLit)
		if !ok || len(lit.Elts) > 0 {
			return false
		}
		_, plain := p.Package.TypesInfo.TypeOf(lit).Underlying().(*types.Struct)
		return plain
	}
	return false
}

// notNil reports whether the syntax of an expression shows that its value is a non-nil pointer. The
// listed functions of the standard library never return nil.
func (p *pooling) notNil(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		if change.Builtin(p.Package.TypesInfo, e) == "new" {
			return true
		}
		name := p.Callee(e)
		return slices.Contains([]string{"bytes.NewBuffer", "bytes.NewBufferString", "bytes.NewReader", "strings.NewReader", "bufio.NewReader",
			"bufio.NewReaderSize", "bufio.NewWriter", "bufio.NewWriterSize", "compress/gzip.NewWriter", "compress/zlib.NewWriter",
			"encoding/json.NewEncoder", "encoding/json.NewDecoder", "time.NewTimer"}, name)
	}
	return false
}

// elsewhere returns a file that is not part of this build and may contain the name of the pool: a
// test, or a file for a different system. It returns "" if there is none.
func (p *pooling) elsewhere(name string) string {
	files := slices.Clone(p.Package.IgnoredFiles)
	if len(p.Package.GoFiles) > 0 {
		tests, _ := filepath.Glob(filepath.Join(filepath.Dir(p.Package.GoFiles[0]), "*_test.go")) // the pattern is well-formed
		files = append(files, tests...)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".go") || slices.Contains(p.Package.GoFiles, file) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return filepath.Base(file)
		}
		found := false
		ast.Inspect(parsed, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && id.Name == name
			return !found
		})
		if found {
			return filepath.Base(file)
		}
	}
	return ""
}

// write changes a pool and all its uses. It returns the reason if it cannot, and "" otherwise.
func (p *pooling) write(pool *syncPool) (why string) {
	element, ok := p.typeText(pool)
	if !ok {
		return "the type has no name where the pool is declared"
	}
	qualifier, ok := p.Imported(pool.file, poolPath)
	if !ok {
		return "another name shadows package pool"
	}
	own := len(pool.puts) > 0 && hasReset(pool.element)
	for _, put := range pool.puts {
		own = own && put.reset != nil
	}
	options := ""
	if !pool.zero {
		options += "\tNew: " + p.Between(pool.make.Pos(), pool.make.Type.Results.Pos()) + "*" + element + " " + p.Source(pool.make.Body) + ",\n"
	}
	if !own {
		options += "\tReset: func(*" + element + ") {}, // values come back as they were put\n"
	}
	text := qualifier + ".Pool[" + element + "]{"
	if options != "" {
		text += "Options: " + qualifier + ".Options[" + element + "]{\n" + options + "}"
	}
	p.Replace(pool.literal.Pos(), pool.literal.End(), text+"}")
	p.Take(pool.literal)
	p.Edits.Drop(p.Package.Fset, pool.file[0].(*ast.File), "sync")
	for _, g := range pool.gets {
		p.Replace(g.assert.X.End(), g.assert.End(), "")
		p.Take(g.assert)
	}
	for _, put := range pool.puts {
		if own {
			p.RemoveLine(put.reset)
		}
	}
	return ""
}

// typeText returns the source of the type of a pool's values, for use in the file that declares the
// pool.
func (p *pooling) typeText(pool *syncPool) (text string, ok bool) {
	file := pool.file[0].(*ast.File)
	ok = true
	text = types.TypeString(pool.element, func(other *types.Package) string {
		if other == p.Package.Types {
			return ""
		}
		for _, spec := range file.Imports {
			name := p.Package.TypesInfo.PkgNameOf(spec)
			if path, _ := strconv.Unquote(spec.Path.Value); path == other.Path() && name != nil && name.Name() != "." && name.Name() != "_" {
				return name.Name()
			}
		}
		ok = false
		return other.Name()
	})
	for n := range pool.local(p.Package.Types) {
		ok = ok && n.Parent() == p.Package.Types.Scope()
	}
	return text, ok
}

// local yields the type names of the given package that occur in the type of the values.
func (pool *syncPool) local(pkg *types.Package) func(func(*types.TypeName) bool) {
	return func(yield func(*types.TypeName) bool) {
		var walk func(t types.Type) bool
		walk = func(t types.Type) bool {
			switch t := types.Unalias(t).(type) {
			case *types.Named:
				return t.Obj().Pkg() != pkg || yield(t.Obj())
			case *types.Slice:
				return walk(t.Elem())
			case *types.Array:
				return walk(t.Elem())
			case *types.Pointer:
				return walk(t.Elem())
			case *types.Map:
				return walk(t.Key()) && walk(t.Elem())
			}
			return true
		}
		walk(pool.element)
	}
}

// hasReset reports whether values of type t have a method Reset that a pool.Pool calls; see
// pool.Options.Reset.
func hasReset(t types.Type) bool {
	method, index, _ := types.LookupFieldOrMethod(types.NewPointer(t), false, nil, "Reset")
	fn, ok := method.(*types.Func)
	if !ok || len(index) != 1 || fn.Signature().Params().Len() > 0 || fn.Signature().Results().Len() > 0 {
		return false
	}
	s, ok := t.Underlying().(*types.Struct)
	for i := 0; ok && i < s.NumFields(); i++ {
		if inner, _, _ := types.LookupFieldOrMethod(s.Field(i).Type(), true, nil, "Reset"); s.Field(i).Embedded() && inner != nil {
			return false
		}
	}
	return true
}
