package flatbegin

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A viewer rewrites a function so that it reads views of a flat tree instead of pointers.
type viewer struct {
	*plan
	r       *reader
	info    *types.Info
	flat    string
	edits   []edit
	notes   []string
	called  map[*ast.SelectorExpr]bool // selectors of methods that are called
	done    map[ast.Node]bool          // nodes that the edit of an enclosing node handles
	gone    map[ast.Node]bool          // nodes whose source the edit of an enclosing node replaces
	pointer map[types.Object]bool      // type switch variables that are pointers to views
	literal map[*ast.ReturnStmt]*ast.FuncLit
}

// An edit replaces the source between two positions.
type edit struct {
	from, to token.Pos
	text     string
	closes   int // 0, or the number of an insertion after an expression; the highest sorts first
}

// byViews returns the source of a function, rewritten to read views, and notes about the code that
// the user must rewrite by hand.
func (p *plan) byViews(r *reader) (text string, notes []string, err error) {
	v := &viewer{plan: p, r: r, info: r.pkg.TypesInfo, flat: p.name + "flat",
		called: map[*ast.SelectorExpr]bool{}, done: map[ast.Node]bool{}, gone: map[ast.Node]bool{}, pointer: map[types.Object]bool{}, literal: map[*ast.ReturnStmt]*ast.FuncLit{}}
	v.signature()
	ast.Inspect(r.decl.Body, v.visit)
	text, err = v.apply()
	return text, v.notes, err
}

// note adds a note about code that the user must rewrite by hand. Equal notes are added only once.
func (v *viewer) note(n ast.Node, format string, args ...any) {
	line := formatPos(v.r.pkg, n.Pos()) + ": " + fmt.Sprintf(format, args...)
	if !slices.Contains(v.notes, line) {
		v.notes = append(v.notes, line)
	}
}

func (v *viewer) put(from, to token.Pos, text string) {
	v.edits = append(v.edits, edit{from, to, text, 0})
}

// behind is like put but inserts the text after an expression.
func (v *viewer) behind(from, to token.Pos, text string) {
	v.edits = append(v.edits, edit{from, to, text, len(v.edits) + 1})
}

// drop records that the source of a node is replaced as a whole, so that the nodes below it are not
// edited.
func (v *viewer) drop(n ast.Node) {
	ast.Inspect(n, func(below ast.Node) bool {
		if below != nil {
			v.gone[below] = true
		}
		return true
	})
}

// view returns the name of the handle type or view type that replaces t, or "" if t is not
// replaced.
func (v *viewer) view(t types.Type) string {
	if t == nil {
		return ""
	}
	object := recordOf(t)
	if object == nil {
		return ""
	}
	if r := v.recordOf(object); r != nil && r.model != nil {
		return v.flat + "." + r.name
	}
	if u := v.knownSum(object); u != nil && types.IsInterface(t) {
		return v.flat + "." + u.name
	}
	return ""
}

// signature rewrites the signature of the function. The types of parameters and results are
// replaced by views, and a method becomes a function.
func (v *viewer) signature() {
	fn := v.r.decl
	if fn.Recv != nil {
		if t := v.info.TypeOf(fn.Recv.List[0].Type); v.view(t) != "" {
			name := "_"
			if len(fn.Recv.List[0].Names) > 0 {
				name = fn.Recv.List[0].Names[0].Name
			}
			v.put(fn.Recv.Pos(), fn.Name.End(), recordOf(t).Name()+upper(fn.Name.Name))
			more := ""
			if fn.Type.Params.NumFields() > 0 {
				more = ", "
			}
			v.put(fn.Type.Params.Opening+1, fn.Type.Params.Opening+1, name+" "+v.view(t)+more)
		}
	}
	ast.Inspect(fn.Type, v.visit)
}

// visit adds the edits for a syntax node. It returns false if the nodes below it have already been
// handled.
func (v *viewer) visit(n ast.Node) bool {
	if n != nil && v.gone[n] {
		return false
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		v.call(n)
	case *ast.SelectorExpr:
		return v.selector(n)
	case *ast.StarExpr:
		return v.star(n)
	case *ast.Ident:
		v.ident(n)
	case *ast.BinaryExpr:
		v.compare(n)
	case *ast.IndexExpr:
		v.index(n)
	case *ast.RangeStmt:
		v.ranging(n)
	case *ast.ForStmt:
		v.siblingsLoop(n)
	case *ast.TypeSwitchStmt:
		v.typeSwitch(n)
	case *ast.TypeAssertExpr:
		return v.assert(n)
	case *ast.CompositeLit:
		if v.view(v.info.TypeOf(n)) != "" {
			v.note(n, "it makes a %s; a flat tree gets nodes from a Builder", v.short(v.info.TypeOf(n)))
			return false
		}
	case *ast.FuncLit:
		ast.Inspect(n, func(below ast.Node) bool {
			if r, ok := below.(*ast.ReturnStmt); ok {
				v.literal[r] = n // an inner literal that contains r replaces n later
			}
			return true
		})
	case *ast.ReturnStmt:
		v.returned(n)
	case *ast.UnaryExpr:
		if sel, ok := n.X.(*ast.SelectorExpr); ok && n.Op == token.AND && v.fieldOf(v.info, sel) != nil {
			v.note(n, "it takes the address of a field, which a view does not have")
		}
	case *ast.AssignStmt:
		for _, left := range n.Lhs {
			if sel, ok := ast.Unparen(left).(*ast.SelectorExpr); ok && v.fieldOf(v.info, sel) != nil {
				v.note(n, "it writes %s; write before the conversion, or use Set%s", v.fieldOf(v.info, sel).full, v.fieldOf(v.info, sel).name)
			}
		}
	}
	return true
}

// returned rewrites a return statement that returns nil, so that it returns a nil handle.
func (v *viewer) returned(n *ast.ReturnStmt) {
	t := v.info.TypeOf(v.r.decl.Name)
	if in := v.literal[n]; in != nil {
		t = v.info.TypeOf(in)
	}
	f, ok := t.(*types.Signature)
	if !ok || f.Results().Len() != len(n.Results) {
		return
	}
	for i, x := range n.Results {
		if name := v.view(f.Results().At(i).Type()); name != "" && v.info.Types[x].IsNil() {
			v.put(x.Pos(), x.End(), name+"{}")
		}
	}
}

// star rewrites a pointer type whose target is a struct of the tree. If the expression dereferences
// an optional field, star adds a note.
func (v *viewer) star(n *ast.StarExpr) bool {
	tv, ok := v.info.Types[n]
	if ok && tv.IsType() {
		if name := v.view(tv.Type); name != "" {
			v.put(n.Pos(), n.End(), name)
			return false
		}
		return true
	}
	if sel, ok := n.X.(*ast.SelectorExpr); ok {
		if f := v.fieldOf(v.info, sel); f != nil && f.shape.kind == optional {
			v.note(n, "%s is read as value, ok := x.%s()", f.full, f.name)
		}
	}
	return true
}

// ident rewrites the name of a type, or the name of a variable that a type switch declares.
func (v *viewer) ident(n *ast.Ident) {
	if v.done[n] {
		return
	}
	if object := v.info.Uses[n]; object != nil && v.pointer[object] {
		v.put(n.Pos(), n.Pos(), "*")
		return
	}
	if tv, ok := v.info.Types[n]; ok && tv.IsType() {
		if name := v.view(tv.Type); name != "" {
			v.put(n.Pos(), n.End(), name)
		}
	}
}

// selector rewrites a selector expression that denotes a type of another package or a field.
func (v *viewer) selector(n *ast.SelectorExpr) bool {
	if tv, ok := v.info.Types[n]; ok && tv.IsType() {
		if name := v.view(tv.Type); name != "" {
			v.put(n.Pos(), n.End(), name)
		}
		return false
	}
	if x, ok := n.X.(*ast.Ident); ok {
		v.done[x] = v.pointer[v.info.Uses[x]] // a pointer to a view has the methods of the view
	}
	f := v.fieldOf(v.info, n)
	if f == nil {
		v.foreign(n)
		return true
	}
	if v.done[n] {
		return true
	}
	v.field(n, f)
	return true
}

// foreign adds a note if the expression selects a field or a method that views do not have.
func (v *viewer) foreign(n *ast.SelectorExpr) {
	s := v.info.Selections[n]
	if s == nil || v.done[n] || v.view(s.Recv()) == "" {
		return
	}
	if s.Kind() == types.FieldVal {
		v.note(n, "%s is not in the schema", types.ExprString(n))
	} else {
		v.note(n, "the method %s of %s needs a counterpart for views", n.Sel.Name, v.short(s.Recv()))
	}
}

// field rewrites the selection of a field as a call to its accessor.
func (v *viewer) field(n *ast.SelectorExpr, f *field) {
	end, parentheses := n.End(), "()"
	if v.called[n] { // n is a called method, and the source already has the parentheses
		end, parentheses = end+2, ""
	}
	switch {
	case f.next != "":
		v.note(n, "%s is x.%s(0), if x.Num%s() is not 0", f.full, f.accessor(), f.name)
		return
	case f.shape.kind == list || f.shape.kind == array || f.shape.kind == table || f.shape.kind == rows:
		v.note(n, "%s is used as a whole; a view reads x.%s(i), and ranges over x.%s", f.full, f.accessor(), f.name)
		return
	case f.shape.kind == blob:
		v.note(n, "%s is a string now", f.full)
	}
	v.put(n.Sel.Pos(), n.Sel.End(), f.name)
	if f.shape.kind == scalar && !f.shape.isPlain() {
		v.put(n.Pos(), n.Pos(), types.TypeString(f.shape.typ, v.qualify)+"(")
		parentheses += ")"
	}
	if parentheses != "" {
		v.behind(end, end, parentheses)
	}
}

// qualify returns the name by which the rewritten function refers to a package.
func (v *viewer) qualify(pkg *types.Package) string {
	if pkg == v.r.pkg.Types {
		return ""
	}
	for _, file := range v.r.pkg.Syntax {
		if file.FileStart > v.r.decl.Pos() || v.r.decl.Pos() > file.FileEnd {
			continue
		}
		for _, i := range file.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil && path == pkg.Path() && i.Name != nil {
				return i.Name.Name
			}
		}
	}
	return pkg.Name()
}

// call rewrites a call of len with a list, or a call to a method.
func (v *viewer) call(n *ast.CallExpr) {
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
		v.called[sel] = true
	}
	if f := typeutil.StaticCallee(v.info, n); f != nil && f != v.info.Defs[v.r.decl.Name] {
		for _, arg := range n.Args {
			if v.view(v.info.TypeOf(arg)) != "" {
				v.note(n, "%s gets a view now: rewrite it with views, too", f.Name())
				break
			}
		}
	}
	name, ok := n.Fun.(*ast.Ident)
	if !ok || name.Name != "len" || !v.info.Types[n.Fun].IsBuiltin() || len(n.Args) != 1 {
		return
	}
	if sel, f := v.listOf(n.Args[0]); f != nil && f.shape.kind != array {
		v.done[sel] = true
		v.put(n.Pos(), sel.X.Pos(), "")
		v.put(sel.Sel.Pos(), n.End(), "Num"+f.name+"()")
	}
}

// compare rewrites a comparison with nil.
func (v *viewer) compare(n *ast.BinaryExpr) {
	if v.compareList(n) {
		return
	}
	if n.Op != token.EQL && n.Op != token.NEQ || !v.info.Types[n.Y].IsNil() || v.view(v.info.TypeOf(n.X)) == "" {
		return
	}
	if n.Op == token.NEQ {
		v.put(n.X.Pos(), n.X.Pos(), "!")
	}
	if x, ok := n.X.(*ast.Ident); ok {
		v.done[x] = true
	}
	v.drop(n.Y)
	v.behind(n.X.End(), n.End(), ".IsNil()")
}

// typeSwitch rewrites a type switch over the variants of an interface.
func (v *viewer) typeSwitch(n *ast.TypeSwitchStmt) {
	var x ast.Expr
	switch assign := n.Assign.(type) {
	case *ast.AssignStmt:
		x = assign.Rhs[0].(*ast.TypeAssertExpr).X
	case *ast.ExprStmt:
		x = assign.X.(*ast.TypeAssertExpr).X
	}
	if v.view(v.info.TypeOf(x)) == "" {
		return
	}
	v.behind(x.End(), x.End(), ".View()")
	for _, clause := range n.Body.List {
		c := clause.(*ast.CaseClause)
		for _, t := range c.List {
			if name := v.view(v.info.TypeOf(t)); name != "" {
				v.put(t.Pos(), t.End(), "*"+name)
				v.drop(t)
			}
		}
		if object := v.info.Implicits[c]; object != nil && len(c.List) == 1 && !types.IsInterface(object.Type()) {
			v.pointer[object] = true
		}
	}
}

// assert rewrites a type assertion.
func (v *viewer) assert(n *ast.TypeAssertExpr) bool {
	if n.Type == nil || v.view(v.info.TypeOf(n.X)) == "" {
		return true
	}
	object := recordOf(v.info.TypeOf(n.Type))
	if object == nil || v.recordOf(object) == nil {
		v.note(n, "an assertion to %s has no counterpart", types.ExprString(n.Type))
		return true
	}
	name := v.recordOf(object).name
	if _, both := v.info.Types[n].Type.(*types.Tuple); both {
		v.note(n, "check x.Kind() == %s.Kind%s first: x.As%s() panics for another kind", v.flat, name, name)
	}
	v.drop(n.Type)
	v.behind(n.X.End(), n.End(), ".As"+name+"()")
	ast.Inspect(n.X, v.visit)
	return false
}

// apply returns the source of the function after all edits.
func (v *viewer) apply() (string, error) {
	file := v.r.pkg.Fset.File(v.r.decl.Pos())
	source, err := os.ReadFile(file.Name())
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(v.edits, func(a, b edit) int {
		if a.closes > 0 && b.closes > 0 {
			return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.closes, a.closes))
		}
		return cmp.Or(cmp.Compare(a.from, b.from), -cmp.Compare(min(a.closes, 1), min(b.closes, 1)))
	})
	var b strings.Builder
	at := v.r.decl.Pos()
	for _, e := range v.edits {
		if e.from < at {
			v.notes = append(v.notes, formatPos(v.r.pkg, e.from)+": left as it was")
			continue
		}
		b.Write(source[file.Offset(at):file.Offset(e.from)])
		b.WriteString(e.text)
		at = e.to
	}
	b.Write(source[file.Offset(at):file.Offset(v.r.decl.End())])
	const clause = "package p\n\n"
	if formatted, err := format.Source([]byte(clause + b.String())); err == nil {
		return strings.TrimSpace(string(formatted[len(clause):])), nil
	}
	return b.String(), nil
}
