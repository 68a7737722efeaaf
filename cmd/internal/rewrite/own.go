package rewrite

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Own is the form for changes that people keep: each struct gets a field for each type, a slab.Chunks or what is written
// for the package instead of it. Its sites are chosen one by one, so rules in files have no such form.
const Own Form = "own"

// slabPath is the package that the form Own calls where the module requires it.
const slabPath = "github.com/coppice-go/coppice/slab"

// Reach says who can reach an owner and its values. Package reach answers for one build of a module.
type Reach interface {
	// Confined says how others can reach the values of a struct; empty if only the call that made one can.
	Confined(pkgPath, name string) (why string)
	// NotNil reports whether a parameter is never nil between two places.
	NotNil(parameter, from, to token.Position) bool
	// Captured says how others can reach an owner if code gets it from a parameter of a function around it, and so function literals in
	// between get it; empty if nobody can.
	Captured(parameter, at token.Position) (why string)
	// Pinned says what the module does to values of a type that wants each of them in memory of its own; empty if nothing.
	Pinned(t types.Type) (why string)
	// Linked is where a function is called by its name for the linker; empty if nowhere.
	Linked(pkgPath, function string) (where string)
	// Taken says why a struct of the package cannot get a field of that name; empty if it can.
	Taken(structName, name string) (why string)
	// Constraint is the build constraint of a new file: of all builds that have a file of the package other than some; empty if all have.
	Constraint(except func(name string) bool) string
	// NewFile says why the package gets no new file of that name; empty if it may get one.
	NewFile(name string) (why string)
	// Declared reports whether the package cannot declare a name for all of its files.
	Declared(name string) bool
}

// An Ask says which expressions take their values from slabs in a struct.
type Ask struct {
	Owner string     // the struct, by its name in the package
	Exprs []ast.Node // &T{...}, new(T), []T{...}, make([]T, n)
	// Instances is how many owners an operation makes; negative where nobody knows. An owner that makes the values of
	// several results ties these together.
	Instances float64
}

// Owned is what came of asks.
type Owned struct {
	Edits edits.Set
	Done  map[ast.Node]string // where the values come from: p.nodes
	Left  map[ast.Node]string // why an expression stays as it is
	// NewParameters are the functions that got the owner as a parameter, with that: newNode(p *parser).
	NewParameters []string
	File          string // the name of the file with the type of the fields, where one is written
	Inside        string // the name of the type, where that file is one that was there
}

// span is what tells expressions apart.
type span struct{ from, to token.Pos }

// A choice is an expression that an ask names.
type choice struct {
	ask  *Ask
	node ast.Node
	rule *Rule
}

// ownPass is what the form Own needs beside the rest.
type ownPass struct {
	library  bool
	module   Reach
	chosen   map[span]choice
	result   Owned
	reassign map[types.Object]bool // variables that are assigned to, or have their address taken
	calls    map[*types.Func][]*ast.CallExpr
	values   map[*types.Func]bool // functions that are used as values, or by another name
	decls    map[*types.Func]*ast.FuncDecl
	threads  map[*ast.FuncDecl]thread
	others   []*ast.File // of the folder that are not part of the package as it was loaded
	home     *ast.File   // which gets the type that is written for the package; nil if that is a new file
	chunks   string      // the name of this type
	needs    map[string]bool
	where    string // the field at the site that is being changed: p.nodes
	watched  string // the same in the witness form
}

// Give makes the edits that asks want. Expressions that cannot be changed safely are in Left, with the reason; the module says who can
// reach an owner. It returns an error if nothing in the package can be changed.
func Give(pkg *packages.Package, asks []Ask, library bool, module Reach) (Owned, error) {
	if len(pkg.Errors) > 0 {
		return Owned{}, fmt.Errorf("%s does not compile: %v", pkg.PkgPath, pkg.Errors[0])
	}
	p := &pass{Package: pkg, form: Own, owners: map[string]*owner{}}
	for _, name := range p.CompiledGoFiles {
		if !slices.Contains(p.GoFiles, name) {
			return Owned{}, fmt.Errorf("%s uses cgo, whose files cannot be changed", p.PkgPath)
		}
	}
	p.pinned, p.compare, p.shared = p.pins(), p.comparedWithNil(), p.findShared()
	newOwnPass(p, asks, library, module)
	for i := range asks {
		p.choose(&asks[i])
	}
	p.find()
	for _, c := range p.own.chosen {
		if p.own.result.Done[c.node] == "" && p.own.result.Left[c.node] == "" {
			p.own.result.Left[c.node] = "it is no &T{...}, new(T), []T{...} or make([]T, n)"
		}
	}
	if err := p.wireOwn(); err != nil {
		return Owned{}, err
	}
	p.own.result.Edits = p.edits
	slices.Sort(p.own.result.NewParameters)
	return p.own.result, nil
}

// newOwnPass gives a pass what the form Own needs.
func newOwnPass(p *pass, asks []Ask, library bool, module Reach) {
	o := &ownPass{
		library: library, module: module, chosen: map[span]choice{}, result: Owned{Done: map[ast.Node]string{}, Left: map[ast.Node]string{}},
		threads: map[*ast.FuncDecl]thread{}, needs: map[string]bool{},
	}
	p.own = o
	o.others = otherFiles(p.Package)
	o.survey(p)
	if !library {
		o.home = p.homeOf(asks)
	}
	o.chunks = p.free(chunksNames...)
}

// choose notes the expressions of an ask, or why its owner cannot own.
func (p *pass) choose(a *Ask) {
	o, err := p.ownerOf(a.Owner)
	if err == nil {
		err = p.fit(o)
	}
	if home := p.own.home; err == nil && home != nil && home != p.declaring(a.Owner) {
		err = fmt.Errorf("the type of the fields stands in the file of another owner, and %s is declared elsewhere", a.Owner)
	}
	rule := &Rule{Package: p.PkgPath, Owner: a.Owner}
	for _, n := range a.Exprs {
		if err != nil {
			p.own.result.Left[n] = err.Error()
			continue
		}
		p.own.chosen[span{n.Pos(), n.End()}] = choice{a, n, rule}
	}
}

// visitOwn changes a site if it is chosen, or notes why not.
func (p *pass) visitOwn(s site) {
	c, ok := p.own.chosen[span{s.node.Pos(), s.node.End()}]
	if !ok || p.own.result.Done[c.node] != "" {
		return
	}
	s.typ = types.Unalias(s.typ)
	why := p.refusal(s, c.rule)
	if why == "" {
		why = p.refuseOwn(s, c.ask)
	}
	where := ""
	if why == "" {
		where, why = p.place(s, c.rule)
	}
	if why == "" {
		p.watch(s, c.ask.Owner, where)
		why = p.change(s, c.rule, where)
		p.own.where = ""
	}
	if why != "" {
		p.own.result.Left[c.node] = why
		return
	}
	p.need(s)
	p.own.result.Done[c.node] = where + "." + p.owners[c.rule.Owner].allocator(p, s.typ).name
}

// need notes which methods a site calls.
func (p *pass) need(s site) {
	o := p.own
	o.needs["New"] = true
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		o.needs["Alloc"] = o.needs["Alloc"] || !p.zero(n)
	case *ast.CompositeLit:
		o.needs["SliceOf"] = true
	case *ast.CallExpr:
		name := ast.Unparen(n.Fun).(*ast.Ident).Name
		o.needs["Make"] = o.needs["Make"] || name == makes
		o.needs["Alloc"] = o.needs["Alloc"] || name == newCall && !p.TypesInfo.Types[n.Args[0]].IsType()
	}
}

// refuseOwn returns why a site of the form Own stays as it is, beyond what all forms refuse.
func (p *pass) refuseOwn(s site, a *Ask) string {
	o := p.owners[a.Owner]
	switch {
	case s.kind == appends || s.kind == text:
		return "a slab hands out values and lists whose length is known"
	case types.Identical(s.typ, o.object):
		return "the owner is such a value itself: each would carry a slab"
	case NoSplit(s.stack[0].(*ast.File), s.function()):
		return NoRoom
	case p.commented(s):
		return "a comment stands where the expression changes"
	case leadsOn(s.typ) && p.outlives(o, a.Instances):
		return fmt.Sprintf("%s may make the values of several results: a chunk would tie each result to the next", o.name)
	}
	if fileName := p.Fset.File(s.node.Pos()).Name(); p.Fset.PositionFor(s.node.Pos(), true).Filename != fileName {
		return "the code is generated: change " + filepath.Base(p.Fset.PositionFor(s.node.Pos(), true).Filename)
	}
	if p.orderOpen(s) {
		return "a call beside a variable might change it, and the order of the two is open"
	}
	if call, ok := s.node.(*ast.CallExpr); ok && s.kind == makes {
		for _, length := range call.Args[1:] {
			if t := p.TypesInfo.TypeOf(length); p.TypesInfo.Types[length].Value == nil && !types.Identical(t, types.Typ[types.Int]) {
				return "its length is no int"
			}
		}
	}
	if size := p.passed(s); size > mostPassed {
		return fmt.Sprintf("%d bytes would go over the stack, where the values are made on the heap now", size)
	}
	if p.lastUse(s, o) {
		return "its file would not use an import any more"
	}
	if call, ok := s.node.(*ast.CallExpr); ok && s.kind == makes && (p.own.library || len(call.Args) == 3) && !p.certain(call, s.function()) { // the library has texts of its own
		return "its length or its capacity may be wrong, and the text of the panic would be another one"
	}
	if why := p.own.module.Pinned(s.typ); why != "" {
		return why
	}
	name, why := p.spellOwned(o, s.typ, false)
	if other := p.shadowed(name); why == "" && other != "" {
		return "the package has the name " + other + " for something else, and the field would have a type of that name"
	}
	return why
}

// mostPassed is how many bytes a site may hand to its slab, which takes them on the stack. Slabs are for small values: of larger ones, a chunk
// has six at most.
const mostPassed = 1 << 10

// passed returns how many bytes a site hands to its slab: a value, or those of a list. It counts them as a build does where they are largest.
func (p *pass) passed(s site) int64 {
	values := int64(1)
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		if p.zero(n) {
			return 0
		}
	case *ast.CompositeLit:
		values = int64(len(n.Elts))
	case *ast.CallExpr:
		if s.kind == makes || p.TypesInfo.Types[n.Args[0]].IsType() {
			return 0
		}
	}
	size := max(p.TypesSizes.Sizeof(s.typ), types.SizesFor("gc", "amd64").Sizeof(s.typ))
	if size > mostPassed { // and the product may be too large a number
		return size
	}
	return values * size
}

// lastUse reports whether a type goes, with the site, that may be what its file imports a package for.
func (p *pass) lastUse(s site, o *owner) (last bool) {
	var written ast.Expr
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		if p.zero(n) {
			written = n.X.(*ast.CompositeLit).Type
		}
	case *ast.CompositeLit:
		written = n.Type
	case *ast.CallExpr:
		if p.TypesInfo.Types[n.Args[0]].IsType() {
			written = n.Args[0]
		}
	}
	if written == nil {
		return false
	}
	file := s.stack[0].(*ast.File)
	ast.Inspect(written, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			last = last || ok && file != p.fileOf(o.fields.Pos()) && !p.usedBeside(file, p.TypesInfo.Uses[pkg])
			return false
		case *ast.Ident:
			used := p.TypesInfo.Uses[n]
			last = last || used != nil && used.Pkg() != nil && used.Pkg() != p.Types // by a dot import
		}
		return true
	})
	return last
}

// usedBeside reports whether a file uses a package outside of what was chosen.
func (p *pass) usedBeside(file *ast.File, pkg types.Object) (used bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || used {
			return false
		}
		if _, chosen := p.own.chosen[span{n.Pos(), n.End()}]; chosen {
			return false
		}
		name, ok := n.(*ast.Ident)
		used = used || ok && p.TypesInfo.Uses[name] == pkg
		return true
	})
	return used
}

// commented reports whether a comment stands where the words of an expression are replaced.
func (p *pass) commented(s site) bool {
	from, to := s.node.Pos(), s.node.End()
	switch n := s.node.(type) {
	case *ast.UnaryExpr:
		if !p.zero(n) {
			to = n.X.Pos()
		}
	case *ast.CompositeLit:
		to = n.Lbrace
	}
	return slices.ContainsFunc(s.stack[0].(*ast.File).Comments, func(c *ast.CommentGroup) bool { return c.Pos() < to && from < c.End() })
}

// spellOwned writes a type for the file of the owner, which imports what that takes if add is set.
func (p *pass) spellOwned(o *owner, t types.Type, add bool) (name, why string) {
	file := p.fileOf(o.fields.Pos())
	name = types.TypeString(t, func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		if known := p.imported(file, other); known != "" {
			return known
		}
		if base := other.Path()[strings.LastIndexByte(other.Path(), '/')+1:]; base != other.Name() {
			why = "the file of the owner does not import the package of its type"
			return base
		}
		if !add {
			return other.Name()
		}
		return p.edits.Import(p.Fset, p.Types, file, other.Path())
	})
	return name, why
}

// imported returns the name that a file has for a package, or "".
func (p *pass) imported(file *ast.File, other *types.Package) string {
	for _, spec := range file.Imports {
		if name := p.TypesInfo.PkgNameOf(spec); name != nil && name.Imported() == other && name.Name() != "_" && name.Name() != "." {
			return name.Name()
		}
	}
	return ""
}

// wireOwn gives owners their fields, and the package the type that these have.
func (p *pass) wireOwn() error {
	for _, name := range slices.Sorted(maps.Keys(p.owners)) {
		o := p.owners[name]
		if len(o.allocators) == 0 {
			continue
		}
		file := p.fileOf(o.fields.Pos())
		if file == nil {
			return errors.New("an owner is in no file of the package")
		}
		kind, watched := p.own.chunks, p.own.chunks
		if p.own.library {
			kind, watched = p.edits.Import(p.Fset, p.Types, file, slabPath)+".Chunks", watchedSlab
		}
		var fields, watching []string
		for _, a := range o.allocators {
			element, why := p.spellOwned(o, a.typ, true)
			if why != "" {
				return errors.New(why)
			}
			fields = append(fields, fmt.Sprintf("\t%s %s[%s]", a.name, kind, element))
			watching = append(watching, fmt.Sprintf("\t%s %s[%s]", a.name, watched, element))
		}
		lines, watchingLines := p.fieldLines(o, fields), p.fieldLines(o, watching)
		for i, line := range lines {
			p.edits.InsertOnceBoth(p.Fset, o.fields.Closing, line, watchingLines[i])
		}
		if p.own.library { // the file has to use what it imports
			p.edits.InsertOnceBoth(p.Fset, o.fields.Closing, "", "\t_ [0]"+kind+"[byte]\n")
		}
	}
	if err := p.addWitness(); err != nil {
		return err
	}
	switch {
	case p.own.library || len(p.own.needs) == 0:
		return nil
	case p.own.chunks == "":
		return fmt.Errorf("the package has the names %s for something else", strings.Join(chunksNames, " and "))
	}
	return p.writeChunks()
}

// fieldLines is what is inserted at the end of a struct.
func (p *pass) fieldLines(o *owner, fields []string) []string {
	slices.Sort(fields)
	lead := "\n"
	line := func(pos token.Pos) int { return p.Fset.PositionFor(pos, false).Line }
	if n := len(o.fields.List); n > 0 && line(o.fields.List[n-1].End()) == line(o.fields.Closing) || n == 0 && line(o.fields.Opening) == line(o.fields.Closing) {
		lead = "\n\n"
	}
	if len(o.fields.List) == 0 {
		lead = lead[1:]
	}
	if len(fields) == 1 {
		return []string{lead + fields[0] + " // where " + o.allocators[0].plural + " come from; the collector frees them\n"}
	}
	lines := []string{lead + "\t// Where values come from; the collector frees them.\n"}
	for _, field := range fields {
		lines = append(lines, field+"\n")
	}
	return lines
}
