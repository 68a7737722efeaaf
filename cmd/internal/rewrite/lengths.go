package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/reach"
)

// The memory that there always is, so that no make of it panics.
const (
	anyMemory   = 1 << 24 // bytes, which any computer has
	timesMemory = 8       // times the memory of a list that there is: that of a list of numbers that has a length of bytes
	mostTerms   = 8       // of a sum
)

// A making is a make whose length and capacity are looked at.
type making struct {
	*pass
	size   int64 // of an element
	around *ast.FuncDecl
	terms  []term
}

// A term is one of a sum, and how often it counts.
type term struct {
	times int64
	expr  ast.Expr // nil for a constant
}

// Certain reports whether a make of a list cannot panic, whoever calls the function around it: its length is not negative and not more than its
// capacity, and there is as much memory. Only then may an edit change what the make panics with: who recovers from a panic is not known.
// Lengths are constants, lengths of other lists, small numbers by their types, and sums of few of these.
func (l Locals) Certain(call *ast.CallExpr, around *ast.FuncDecl) bool {
	return l.p.certain(call, around)
}

func (p *pass) certain(call *ast.CallExpr, around *ast.FuncDecl) bool {
	list, ok := p.TypesInfo.TypeOf(call).Underlying().(*types.Slice)
	if !ok || reach.DependsOnParameter(list.Elem()) || len(call.Args) < 2 {
		return false
	}
	m := &making{pass: p, size: p.TypesSizes.Sizeof(list.Elem()), around: around}
	length, capacity := call.Args[1], call.Args[len(call.Args)-1]
	return m.sum(capacity, 1) && (length == capacity || m.within(length, capacity))
}

// sum reports whether an expression is a sum of terms that are not negative and for which there is memory. It notes them.
func (m *making) sum(e ast.Expr, times int64) bool {
	e = ast.Unparen(e)
	if n, known := m.constant(e); known {
		m.terms = append(m.terms, term{times * n, nil})
		return n >= 0 && m.fits(times, n)
	}
	if b, ok := e.(*ast.BinaryExpr); ok && types.Identical(m.TypesInfo.TypeOf(e), types.Typ[types.Int]) { // a smaller type may overflow
		switch b.Op {
		case token.ADD:
			return m.sum(b.X, times) && m.sum(b.Y, times)
		case token.MUL:
			for _, f := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				if n, known := m.constant(f[0]); known {
					return 0 < n && n <= timesMemory && times*n <= anyMemory && m.sum(f[1], times*n)
				}
			}
		}
		return false
	}
	m.terms = append(m.terms, term{times, e})
	return len(m.terms) <= mostTerms && (m.fits(times, m.most(e)) || m.isLength(e, times))
}

// fits reports whether there is memory for a number of elements, some times.
func (m *making) fits(times, n int64) bool { return n <= anyMemory/max(1, m.size*times) }

// constant is the value of a constant that is a number.
func (m *making) constant(e ast.Expr) (n int64, known bool) {
	v := m.TypesInfo.Types[e].Value
	if v == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	if !exact {
		n = -1 // it is no length
	}
	return n, true
}

// most is the largest value that an expression has by its type, or by that of what is converted; more than there is memory for where that is not
// small, or where it may be negative.
func (m *making) most(e ast.Expr) int64 {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 && m.TypesInfo.Types[call.Fun].IsType() && types.Identical(m.TypesInfo.TypeOf(e), types.Typ[types.Int]) {
		e = call.Args[0]
	}
	if basic, ok := m.TypesInfo.TypeOf(e).Underlying().(*types.Basic); ok {
		switch basic.Kind() {
		case types.Uint8:
			return 1<<8 - 1
		case types.Uint16:
			return 1<<16 - 1
		}
	}
	return anyMemory + 1
}

// isLength reports whether an expression is the length of a list that takes its share of the memory.
func (m *making) isLength(e ast.Expr, times int64) bool {
	of := m.lengthOf(e)
	if of == nil {
		return false
	}
	switch t := m.TypesInfo.TypeOf(of).Underlying().(type) {
	case *types.Slice:
		return !reach.DependsOnParameter(t.Elem()) && m.size*times <= timesMemory*m.TypesSizes.Sizeof(t.Elem())
	case *types.Basic:
		return m.size*times <= timesMemory
	}
	return false
}

// within reports whether a length is not more than a capacity, whose terms are noted.
func (m *making) within(length, capacity ast.Expr) bool {
	least, length := int64(0), ast.Unparen(length)
	for _, t := range m.terms {
		if t.expr == nil {
			least += t.times
		}
	}
	if n, known := m.constant(length); known { // of two constants the compiler knows
		return 0 <= n && n <= least
	}
	if !m.plain(length) && !(m.isLen(length) && m.plain(length.(*ast.CallExpr).Args[0])) {
		return false
	}
	for _, t := range m.terms {
		if t.expr != nil && types.ExprString(t.expr) == types.ExprString(length) {
			return true
		}
	}
	return false
}

// IsLen reports whether an expression is the length of a slice, a string or an array; that of a map or a channel may change.
func (l Locals) IsLen(e ast.Expr) bool { return l.p.isLen(e) }

func (p *pass) isLen(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !p.TypesInfo.Types[call.Fun].IsBuiltin() {
		return false
	}
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "len" {
		return false
	}
	switch p.TypesInfo.TypeOf(call.Args[0]).Underlying().(type) {
	case *types.Slice, *types.Basic, *types.Array:
		return true
	}
	return false
}

// lengthOf returns what an expression is the length of: len(x), or a variable of the function that is only ever set to one. It is nil for others.
func (m *making) lengthOf(e ast.Expr) (of ast.Expr) {
	if m.isLen(e) {
		return ast.Unparen(e).(*ast.CallExpr).Args[0]
	}
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, sets := m.TypesInfo.Uses[name], 0
	if m.around == nil || v == nil || m.shared[v] {
		return nil
	}
	ast.Inspect(m.around, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := ast.Unparen(left).(*ast.Ident); ok && m.TypesInfo.ObjectOf(id) == v {
					sets++
					if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && m.isLen(n.Rhs[i]) {
						of = ast.Unparen(n.Rhs[i]).(*ast.CallExpr).Args[0]
					}
				}
			}
		case *ast.IncDecStmt, *ast.RangeStmt, *ast.ValueSpec, *ast.Field:
			if m.sets(n, v) {
				sets++
			}
		}
		return true
	})
	if sets != 1 {
		return nil
	}
	return of
}

// sets reports whether a node gives a variable a value, other than an assignment does.
func (m *making) sets(n ast.Node, v types.Object) bool {
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && m.TypesInfo.ObjectOf(id) == v
	}
	names := func(all []*ast.Ident) (found bool) {
		for _, id := range all {
			found = found || is(id)
		}
		return found
	}
	switch n := n.(type) {
	case *ast.IncDecStmt:
		return is(n.X)
	case *ast.RangeStmt:
		return n.Key != nil && is(n.Key) || n.Value != nil && is(n.Value)
	case *ast.ValueSpec:
		return names(n.Names)
	case *ast.Field:
		return names(n.Names)
	}
	return false
}
