package intern

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// These are the limits of an owner's table. Adversarial input may contain any number of strings, of
// any length, so a table without limits would be a memory leak.
const (
	mostStrings = 1000
	longest     = 64 // bytes
)

const about = `Equal strings share one copy: the owner keeps a table of the strings that it has made, and looks up the bytes before it makes a new one. A lookup copies nothing.
The table has at most 1,000 strings of at most 64 bytes; others are made as before. The table is freed with its owner.
Only the call that makes an owner, and the calls below it, have the owner: no other goroutine can reach the table.`

const undo = "Write string(b) again, and remove the field and the method interned."

const assumed = "assumed of other modules: they compare strings by content, not by address; a string that is held may also be in the table"

// field, method and watched are the names of the members that are added to the owner.
const (
	field   = "internedTexts"
	method  = "interned"
	watched = "internedWitness"
)

// makeTable is the maker. It gives an owner a table that keeps one copy of equal strings.
func makeTable(r *change.Request) (*change.Change, error) {
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	c := &change.Change{About: about, Undo: undo, Price: []string{assumed}}
	done := map[types.Object]bool{}
	for _, s := range r.Sites {
		around, why := r.Scene(s)
		if why != "" {
			c.Leave(s, why)
			continue
		}
		t := &table{Scene: around, world: world, locals: rewrite.LocalsOf(r.Package)}
		if why := t.look(s); why != "" {
			c.Leave(s, why)
			continue
		}
		if !done[t.named.Obj()] {
			t.declare(c)
			done[t.named.Obj()] = true
		}
		t.use(c)
		c.Did(s, fmt.Sprintf("equal strings come from a table of %s", t.owner.Name()))
	}
	return c, c.AddWitness(r)
}

// A table describes the table that an owner gets for the strings of one site.
type table struct {
	*change.Scene
	world  *change.World
	locals rewrite.Locals
	call   *ast.CallExpr // string(b)
	owner  types.Object
	named  *types.Named
	fields *ast.FieldList
	file   *ast.File // file that declares the owner
}

// noOwner is the reason why a site is left unchanged if no struct can contain the table.
const noOwner = "the table must be a field of a struct that the function gets by pointer, as its receiver or a parameter; there is none"

// look finds the owner. If the site must be left unchanged, it returns the reason.
func (t *table) look(s *site.Site) (why string) {
	var ok bool
	if t.call, ok = t.Path[len(t.Path)-1].(*ast.CallExpr); !ok || !t.converts() {
		return "it is not a conversion of bytes to a string"
	}
	if why := t.stays(); why != "" {
		return why
	}
	why = noOwner
	for _, o := range s.Facts.Owners {
		if why = t.pays(s, o); why == "" {
			_, name, _ := strings.Cut(o.How, " ")
			why = t.take(name)
		}
		if why == "" {
			why = t.world.Confined(t.Package.PkgPath, change.StructName(o))
		}
		if why == "" {
			return ""
		}
	}
	return why
}

// converts reports whether the call is string(b) with a b that is assignable to []byte.
func (t *table) converts() bool {
	info := t.Package.TypesInfo
	if len(t.call.Args) != 1 || !info.Types[t.call.Fun].IsType() {
		return false
	}
	to, from := info.TypeOf(t.call), info.TypeOf(t.call.Args[0])
	return types.Identical(to, types.Typ[types.String]) && types.AssignableTo(from, types.NewSlice(types.Typ[types.Byte]))
}

// stays returns the reason that the conversion cannot be replaced with a call, or "" if it can.
func (t *table) stays() string {
	for _, n := range t.Path[2:] {
		if _, ok := n.(*ast.FuncLit); ok {
			return change.InLiteral
		}
	}
	up, at := change.Around(t.Path)
	if index, ok := up.(*ast.IndexExpr); ok && index.Index == t.Path[at+1] {
		return "m[string(b)] copies nothing, and a new key is kept by the map anyway"
	}
	if t.world.Unsafe() {
		return "the module imports unsafe, and may change the bytes of a string"
	}
	if t.Commented(t.call.Pos(), t.call.End()) {
		return "there is a comment in the expression"
	}
	calls := false
	ast.Inspect(change.Whole(t.Path), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call != t.call && call.Pos() >= t.call.End() && !t.Package.TypesInfo.Types[call.Fun].IsType() {
			calls = true
		}
		receive, ok := n.(*ast.UnaryExpr)
		calls = calls || ok && receive.Op.String() == "<-"
		return n != t.call
	})
	if calls {
		return "what is called in the same statement may change the bytes before they are read"
	}
	return ""
}

// pays returns the reason that an owner's table does not pay off, or "" if it does. A table does
// not pay off if the owner allocates too few strings, if too many of them are distinct, or if the
// number of distinct strings is unknown.
func (t *table) pays(s *site.Site, o site.Owner) string {
	v := s.Facts.Values
	name := strings.TrimPrefix(o.Type, "*")
	switch {
	case o.Unfit() != "":
		return o.Unfit()
	case v == nil || v.Looked <= 0:
		return "how many of the strings are distinct is not known"
	case v.Distinct > mostStrings:
		return fmt.Sprintf("%d of the strings are distinct, but the table has room for %d", v.Distinct, mostStrings)
	case s.Objects/max(1, o.Many()) < 2*float64(v.Distinct):
		return fmt.Sprintf("each %s makes %s strings, of which %d are distinct", name, remedy.Number(s.Objects/max(1, o.Many())), v.Distinct)
	}
	return ""
}

// take makes the receiver or parameter with the given name the owner. If this is not possible, it
// returns the reason.
func (t *table) take(name string) string {
	t.owner, t.named = nil, nil
	for _, list := range []*ast.FieldList{t.Decl.Recv, t.Decl.Type.Params} {
		for i := 0; list != nil && i < list.NumFields(); i++ {
			if p := t.Parameter(list, i); p != nil && p.Name() == name {
				t.owner = p
			}
		}
	}
	if t.owner == nil {
		return noOwner
	}
	if pointer, ok := types.Unalias(t.owner.Type()).(*types.Pointer); ok {
		t.named, _ = types.Unalias(pointer.Elem()).(*types.Named)
	}
	position := t.Package.Fset.PositionFor
	switch {
	case t.named == nil || t.named.TypeParams().Len() > 0 || t.named.Obj().Pkg() != t.Package.Types:
		return name + " is not a pointer to a struct of the package, or it is generic"
	case t.locals.Shared(t.owner) || t.set():
		return name + " is assigned, or other code may set it"
	case t.Lookup(name, t.call.Pos()) != t.owner:
		return "another variable has the name of the owner"
	case !t.world.NotNil(position(t.owner.Pos(), false), position(t.call.Pos(), false), position(t.call.End(), false)):
		return name + " may be nil there, and the table would be a field of it"
	}
	return t.refuseStruct()
}

// set reports whether the function assigns to the owner's variable.
func (t *table) set() (found bool) {
	ast.Inspect(t.Decl.Body, func(n ast.Node) bool {
		is := func(e ast.Expr) bool {
			name, ok := e.(*ast.Ident)
			return ok && t.Package.TypesInfo.Uses[name] == t.owner
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return is(ast.Unparen(e)) })
		case *ast.RangeStmt:
			found = found || n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
		}
		return !found
	})
	return found
}

// refuseStruct returns the reason that the owner's struct cannot contain a table, or "" if it can.
func (t *table) refuseStruct() string {
	name := t.named.Obj().Name()
	t.fields, t.file = t.StructOf(t.named)
	switch {
	case t.fields == nil:
		return name + " is not a struct that this package declares"
	case ast.IsGenerated(t.file), !slices.Contains(t.Package.GoFiles, t.Package.Fset.File(t.file.FileStart).Name()):
		return "the file that declares " + name + " is generated, or uses cgo"
	case t.named.Obj().Exported():
		return name + " is exported, so other packages may compare or copy it"
	case rewrite.Shadowed(t.Package, text(name)) != "":
		return rewrite.Shadowed(t.Package, text(name)) + " is another name in the package"
	case t.Unkeyed(t.named):
		return name + " is written without field names"
	}
	for _, member := range []string{field, method, watched} {
		if why := t.world.Taken(name, member); why != "" {
			return why
		}
	}
	return ""
}
