package rewrite

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// These are the limits of a system with 32-bit addresses. WebAssembly has as much memory as such a
// system, but its ints have 64 bits.
const (
	anyMemory   = 1 << 24       // bytes of memory that any computer has
	mostTerms   = 8             // per sum: small terms fit into the 1<<27 bytes beyond largestList
	mostFactor  = 8             // maximum constant factor in a term
	mostMemory  = 1<<32 - 1     // bytes: a call to make panics if it needs more
	largestList = 1<<32 - 1<<27 // bytes: the program itself needs addresses too
	mostInt     = math.MaxInt32 // make panics for a larger length, and a larger sum is negative
)

// narrow contains the type sizes of systems with 32-bit addresses: 386, which stands for most such
// processors, and WebAssembly.
var narrow = []types.Sizes{types.SizesFor("gc", "386"), types.SizesFor("gc", "wasm")}

// A making is the state of checking the length and the capacity in a call to make, or in several
// calls that are joined into one.
type making struct {
	Locals
	elem   types.Type // element type of the list
	size   int64      // element size in bytes, on the system where it is largest
	around *ast.FuncDecl
	terms  []term
}

// A term is one summand of a capacity: a constant or an expression, multiplied by a constant
// factor.
type term struct {
	times  int64
	expr   ast.Expr   // nil for a constant
	of     types.Type // element type, if the term is the length of a list; otherwise nil
	number int64      // largest value, if the term is not the length of a list
}

// Certain reports whether a call to make that creates a list cannot panic, whatever the arguments
// of the enclosing function are: the length is not negative and does not exceed the capacity, and
// there is enough memory. Only such a call may be edited, because code that recovers from the panic
// may inspect it. A length may be a constant, the length of another list, a value of a small
// integer type, or a sum of a few of these.
func (l Locals) Certain(call *ast.CallExpr, around *ast.FuncDecl) bool {
	m := l.making(call, around)
	if m == nil {
		return false
	}
	length, capacity := call.Args[1], call.Args[len(call.Args)-1]
	return m.sum(capacity, 1) && m.inMemory() && m.isInt() && (length == capacity || m.within(length))
}

// Joined reports whether several calls to make, for lists of one type, can be joined into one call.
// The sum of their capacities must fit into an int whenever there is enough memory for each list.
// For elements of two or more bytes, this is always the case: if the number of elements did not fit
// into a 32-bit int, the lists would use all the memory of a 32-bit computer, and the program would
// end before all of them exist. Lists with that many one-byte elements use only half of the memory.
// So for one-byte elements, the capacities must be bounded by the lengths of other lists: the
// length of a list of 64-bit numbers, for example, is less than a quarter of the largest int.
func (l Locals) Joined(calls []*ast.CallExpr, around *ast.FuncDecl) bool {
	var all *making
	for _, call := range calls {
		m := l.making(call, around)
		if m == nil {
			return false
		}
		if m.size > 1 {
			return true
		}
		if !m.sum(call.Args[len(call.Args)-1], 1) {
			return false
		}
		if all != nil {
			m.terms = append(m.terms, all.terms...)
		}
		all = m
	}
	return all != nil && all.isInt()
}

// making returns the state for checking a call to make, or nil if the element size is unknown.
func (l Locals) making(call *ast.CallExpr, around *ast.FuncDecl) *making {
	list, ok := l.TypesInfo.TypeOf(call).Underlying().(*types.Slice)
	if !ok || typekey.DependsOnParameter(list.Elem()) || len(call.Args) < 2 {
		return nil
	}
	m := &making{Locals: l, elem: list.Elem(), size: l.TypesSizes.Sizeof(list.Elem()), around: around}
	for _, sizes := range narrow {
		m.size = max(m.size, sizes.Sizeof(m.elem))
	}
	return m
}

// inMemory reports whether the elements of all terms need no more memory than a call to make may
// request. If a term is the length of a list, that list exists already, and the memory that it uses
// limits its length. Two lists may share memory, so the length of each is limited separately.
func (m *making) inMemory() bool {
	for _, sizes := range narrow {
		size, sum := sizes.Sizeof(m.elem), 0.0
		for _, t := range m.terms {
			sum += t.most(sizes) * float64(size)
		}
		if sum > mostMemory {
			return false
		}
	}
	return true
}

// isInt reports whether the sum of the terms fits into a 32-bit int.
func (m *making) isInt() bool {
	sum := 0.0
	for _, t := range m.terms {
		sum += t.most(narrow[0])
	}
	return sum <= mostInt
}

// most returns the largest possible value of a term, given the type sizes of a system.
func (t term) most(sizes types.Sizes) float64 {
	if t.of == nil {
		return float64(t.times) * float64(t.number)
	}
	n := float64(mostInt)
	if sizes.Sizeof(types.Typ[types.Int]) > 4 {
		n = largestList
	}
	if size := sizes.Sizeof(t.of); size > 1 {
		n = min(n, float64(largestList/size))
	}
	return float64(t.times) * n
}

// sum reports whether an expression, multiplied by times, is a sum of terms that are not negative
// and fit into memory. It records the terms.
func (m *making) sum(e ast.Expr, times int64) bool {
	e = ast.Unparen(e)
	if n, known := m.constant(e); known {
		m.terms = append(m.terms, term{times: times, number: n})
		return n >= 0 && m.fits(times, n)
	}
	if b, ok := e.(*ast.BinaryExpr); ok && types.Identical(m.TypesInfo.TypeOf(e), types.Typ[types.Int]) { // a smaller type may overflow
		switch b.Op {
		case token.ADD:
			return m.sum(b.X, times) && m.sum(b.Y, times)
		case token.MUL:
			for _, f := range [][2]ast.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				if n, known := m.constant(f[0]); known {
					return 0 < n && n <= mostFactor && times*n <= anyMemory && m.sum(f[1], times*n)
				}
			}
		}
		return false
	}
	t := term{times: times, expr: e, number: m.most(e)}
	if !m.fits(times, t.number) {
		t.of = m.listed(e)
	}
	m.terms = append(m.terms, t)
	return len(m.terms) <= mostTerms && (t.of != nil || m.fits(times, t.number))
}

// fits reports whether any computer has memory for n*times elements.
func (m *making) fits(times, n int64) bool { return n <= anyMemory/max(1, m.size*times) }

// constant returns the value of a numeric constant. known is false if the expression is not a
// constant.
func (m *making) constant(e ast.Expr) (n int64, known bool) {
	v := m.TypesInfo.Types[e].Value
	if v == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	if !exact {
		n = -1 // the constant cannot be a length
	}
	return n, true
}

// most returns the largest value that an expression can have according to its type or, if the
// expression is a conversion to int, according to its operand's type. If this value is not small,
// or the type allows negative values, most returns anyMemory + 1.
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

// listed returns, for an expression that is the length of a list, the element type of the list. It
// returns nil if the expression is not a length, or if the elements may have size zero.
func (m *making) listed(e ast.Expr) types.Type {
	of := m.lengthOf(e)
	if of == nil {
		return nil
	}
	switch t := m.TypesInfo.TypeOf(of).Underlying().(type) {
	case *types.Slice:
		if !typekey.DependsOnParameter(t.Elem()) && m.TypesSizes.Sizeof(t.Elem()) > 0 {
			return t.Elem()
		}
	case *types.Basic: // a string
		return types.Typ[types.Uint8]
	}
	return nil
}

// within reports whether a length certainly does not exceed the capacity that the recorded terms
// describe.
func (m *making) within(length ast.Expr) bool {
	least, length := int64(0), ast.Unparen(length)
	for _, t := range m.terms {
		if t.expr == nil {
			least += t.times * t.number
		}
	}
	if n, known := m.constant(length); known { // the compiler compares two constants
		return 0 <= n && n <= least
	}
	if !m.Plain(length) && !(m.IsLen(length) && m.Plain(length.(*ast.CallExpr).Args[0])) {
		return false
	}
	for _, t := range m.terms {
		if t.expr != nil && types.ExprString(t.expr) == types.ExprString(length) {
			return true
		}
	}
	return false
}

// IsLen reports whether an expression is the length of a slice, a string or an array. It returns
// false for the length of a map or a channel, which may change.
func (l Locals) IsLen(e ast.Expr) bool {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok || len(call.Args) != 1 || !l.TypesInfo.Types[call.Fun].IsBuiltin() {
		return false
	}
	if name, ok := ast.Unparen(call.Fun).(*ast.Ident); !ok || name.Name != "len" {
		return false
	}
	switch l.TypesInfo.TypeOf(call.Args[0]).Underlying().(type) {
	case *types.Slice, *types.Basic, *types.Array:
		return true
	}
	return false
}

// lengthOf returns x if an expression is len(x), or a variable that is set only once, to len(x). It
// returns nil for other expressions.
func (m *making) lengthOf(e ast.Expr) (of ast.Expr) {
	if m.IsLen(e) {
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
					if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) && m.IsLen(n.Rhs[i]) {
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

// sets reports whether a node sets a variable other than by an assignment statement, such as by x++
// or a range clause.
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
