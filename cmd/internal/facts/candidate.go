package facts

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/inspector"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A candidate is an expression, statement or variable that may allocate.
type candidate struct {
	kind     site.Kind
	at       inspector.Cursor
	compiled line // line in the file that the compiler reads, as in its messages
	column   int
	shown    line
	also     []token.Pos // other positions in the profile: for a parameter, the function's start
	typ      types.Type  // type of the value; for slices, of the element
	bytes    int64       // size in bytes of one allocation; negative if it varies
	length   int         // length of a make or a literal, if it is a constant; else -1
	callee   *types.Func
	function *function
	depth    int // number of enclosing function literals
}

// A function is a function declaration of the package. One additional function, named init,
// represents all package-level variables.
type function struct {
	name     string // linker name
	decl     *ast.FuncDecl
	from, to line // first and last line, with //line directives applied
}

// survey finds all functions and candidates in the unit. Only the first call has an effect.
func (u *unit) survey() {
	if u.functions != nil {
		return
	}
	u.root = inspector.New(u.Syntax).Root()
	u.lines, u.directed = map[line][]*candidate{}, map[int][]*candidate{}
	outside := u.addFunction(&function{name: "init"})
	for file := range u.root.Children() {
		for decl := range file.Children() {
			f := outside
			if d, ok := decl.Node().(*ast.FuncDecl); ok {
				f = u.addFunction(&function{name: linkerName(d), decl: d, from: u.shown(d.Pos()), to: u.shown(d.End())})
			}
			for c := range decl.Preorder() {
				u.look(c, f)
			}
		}
	}
}

func (u *unit) addFunction(f *function) *function {
	u.functions = append(u.functions, f)
	return f
}

// linkerName returns a function's linker name, without the package path and type arguments.
func linkerName(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	t, format := ast.Unparen(d.Recv.List[0].Type), "%"
	if star, ok := t.(*ast.StarExpr); ok {
		t, format = ast.Unparen(star.X), "(*%)"
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return strings.Replace(format, "%", name.Name, 1) + "." + d.Name.Name
	}
	return d.Name.Name
}

// look adds candidates for the syntax node at c.
func (u *unit) look(c inspector.Cursor, f *function) {
	switch n := c.Node().(type) {
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND {
			t := u.TypesInfo.TypeOf(lit)
			u.add(f, candidate{kind: site.Literal, at: c, typ: t, bytes: u.size(t), length: -1}, n.Pos())
		}
	case *ast.CompositeLit:
		u.literal(c, n, f)
	case *ast.CallExpr:
		u.call(c, n, f)
	case *ast.BinaryExpr:
		u.concat(c, n, f)
	case *ast.FuncLit:
		u.closure(c, n, f)
	case *ast.SelectorExpr:
		u.methodValue(c, n, f)
	case *ast.GoStmt:
		u.add(f, candidate{kind: site.Goroutine, at: c, bytes: -1, length: -1}, n.Pos())
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN && isString(u.TypesInfo.TypeOf(n.Lhs[0])) {
			u.add(f, candidate{kind: site.Concat, at: c, typ: u.TypesInfo.TypeOf(n.Lhs[0]), bytes: -1, length: -1}, n.TokPos)
		}
		for _, left := range n.Lhs {
			u.mapGrowth(c, left, f)
		}
	case *ast.IncDecStmt:
		u.mapGrowth(c, n.X, f)
	case *ast.Ident:
		u.variable(c, n, f)
	}
	u.boxed(c, f)
}

// add records a candidate at the position at which the compiler reports its allocation.
func (u *unit) add(f *function, c candidate, pos token.Pos) {
	c.function = f
	c.compiled, c.column = u.physical(pos)
	c.shown = u.shown(pos)
	for range c.at.Enclosing((*ast.FuncLit)(nil)) {
		c.depth++
	}
	if c.kind == site.Closure && c.depth > 0 {
		if _, ok := c.at.Node().(*ast.FuncLit); ok {
			c.depth-- // Enclosing also yields the literal itself
		}
	}
	u.candidates = append(u.candidates, &c)
	if c.shown != c.compiled {
		u.directed[c.shown.line] = append(u.directed[c.shown.line], &c)
	}
	places := map[line]bool{c.compiled: true, c.shown: true}
	for _, pos := range c.also {
		at, _ := u.physical(pos)
		places[at], places[u.shown(pos)] = true, true
	}
	for at := range places {
		u.lines[at] = append(u.lines[at], &c)
	}
}

// literal adds candidates for slice and map literals, and for literals in which {...} is short for
// &T{...}.
func (u *unit) literal(c inspector.Cursor, n *ast.CompositeLit, f *function) {
	switch t := u.TypesInfo.TypeOf(n).Underlying().(type) {
	case *types.Pointer:
		u.add(f, candidate{kind: site.Literal, at: c, typ: t.Elem(), bytes: u.size(t.Elem()), length: -1}, n.Lbrace)
	case *types.Slice:
		length := u.lengthOf(n)
		if length > 0 {
			u.add(f, candidate{kind: site.MakeSlice, at: c, typ: t.Elem(), bytes: times(u.size(t.Elem()), length), length: length}, n.Lbrace)
		}
	case *types.Map:
		made := candidate{kind: site.MakeMap, at: c, typ: u.TypesInfo.TypeOf(n), bytes: -1, length: len(n.Elts)}
		for _, e := range n.Elts { // the map may grow at each element
			made.also = append(made.also, e.Pos())
		}
		u.add(f, made, n.Lbrace)
	}
}

// lengthOf returns the length of a slice literal. Its elements may have explicit indices.
func (u *unit) lengthOf(n *ast.CompositeLit) (length int) {
	next := 0
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if i, ok := u.constant(pair.Key); ok {
				next = i
			}
		}
		next++
		length = max(length, next)
	}
	return length
}

// constant returns the value of e if it is an integer constant.
func (u *unit) constant(e ast.Expr) (int, bool) {
	v := u.TypesInfo.Types[e].Value
	if v == nil {
		return 0, false
	}
	i, ok := constant.Int64Val(constant.ToInt(v))
	return int(i), ok
}

// concat adds a candidate for a string concatenation, unless its value is constant. A chain of +
// operators yields one candidate, the outermost.
func (u *unit) concat(c inspector.Cursor, n *ast.BinaryExpr, f *function) {
	value := u.TypesInfo.Types[n]
	if n.Op != token.ADD || value.Value != nil || !isString(value.Type) {
		return
	}
	up := c.Parent()
	for {
		if _, ok := up.Node().(*ast.ParenExpr); !ok {
			break
		}
		up = up.Parent()
	}
	if outer, ok := up.Node().(*ast.BinaryExpr); ok && outer.Op == token.ADD {
		return
	}
	u.add(f, candidate{kind: site.Concat, at: c, typ: value.Type, bytes: -1, length: -1}, n.OpPos)
}

// mapGrowth adds a candidate for an assignment to a map element, which may make the map grow.
func (u *unit) mapGrowth(c inspector.Cursor, left ast.Expr, f *function) {
	index, ok := ast.Unparen(left).(*ast.IndexExpr)
	if !ok {
		return
	}
	if t := u.TypesInfo.TypeOf(index.X); t != nil {
		if _, ok := t.Underlying().(*types.Map); ok {
			u.add(f, candidate{kind: site.MakeMap, at: c, typ: t, bytes: -1, length: -1}, index.Lbrack)
		}
	}
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// times multiplies a size by a count. A negative argument or result means unknown.
func times(size int64, n int) int64 {
	if size < 0 || n < 0 {
		return -1
	}
	return size * int64(n)
}
