package arena

import (
	"cmp"
	"context"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/own"
)

// The compiler keeps a value on the stack if it dies with the function that creates it, or with a
// caller into which the function is inlined. If the value came from the arena, it would be on the
// heap whenever the arena is nil, and the old function would become slower. So the code for such a
// value is left unchanged.

const keptOnStack, keptInCaller = "the compiler keeps it on the stack", "the compiler keeps it on the stack of a caller, where the function is inlined"

// A spot is the position of a compiler message.
type spot struct {
	file         string // base name: the compiler and the loader name the folder differently
	line, column int
}

// lastColumn is the largest column that the compiler reports.
const lastColumn = 255

// onStack returns the places that are left unchanged because the compiler keeps their values on the
// stack, with the reason. The values are on the stack of their function, or of a caller into which
// the function is inlined.
func onStack(ctx context.Context, world *change.World, pkg *packages.Package) (map[own.Place]string, error) {
	said, err := world.Remarks(ctx)
	if err != nil {
		return nil, err
	}
	messages, copies := map[spot][]string{}, map[string][]spot{} // copies holds the positions of each function's inlined calls
	for _, r := range said {
		at := spot{filepath.Base(r.File), r.Line, r.Column}
		if name, ok := r.Inlined(); ok {
			copies[name] = append(copies[name], at)
			continue
		}
		messages[at] = append(messages[at], r.Message)
	}
	stay := map[own.Place]string{}
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			inlined, literals := copies[compilerName(fn)], literalsOf(fn, copies)
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				e := valueOf(n, pkg.TypesInfo)
				if e == nil {
					return true
				}
				at := pkg.Fset.PositionFor(escapes.Position(e, func(e ast.Expr) bool { return pkg.TypesInfo.Types[e].IsType() }), false)
				why := ""
				if !onHeap(e, messages[spot{filepath.Base(at.Filename), at.Line, min(at.Column, lastColumn)}]) {
					why = keptOnStack
				}
				for _, at := range inlined {
					if !onHeap(e, messages[at]) {
						why = cmp.Or(why, keptInCaller)
					}
				}
				for _, at := range literals.inlinedAt(e) {
					if _, stack := saidOf(e, messages[at]); stack {
						why = cmp.Or(why, keptInCaller)
					}
				}
				if why != "" {
					start := pkg.Fset.File(e.Pos())
					stay[own.Place{File: start.Name(), Offset: start.Offset(e.Pos())}] = why
				}
				return true
			})
		}
	}
	return stay, nil
}

// literals contains the function literals of a function, and the positions at which they are
// inlined.
type literals struct {
	all    []*ast.FuncLit
	copies []spot
}

// literalsOf finds the function literals of a function. The compiler calls them F.func1, F.func1.2
// and so on. If F is inlined, the names of the literals in the copy begin with the name of the
// caller. So the name does not identify the literal, and a message about one literal is treated as
// a message about all of them.
func literalsOf(fn *ast.FuncDecl, copies map[string][]spot) literals {
	var l literals
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			l.all = append(l.all, lit)
		}
		return true
	})
	if len(l.all) == 0 {
		return l
	}
	name := compilerName(fn) + ".func"
	for copied, at := range copies {
		if strings.HasPrefix(copied, name) || strings.Contains(copied, "."+name) {
			l.copies = append(l.copies, at...)
		}
	}
	return l
}

// inlinedAt returns the positions at which the function literal that contains e may be inlined. It
// returns none if no function literal contains e.
func (l literals) inlinedAt(e ast.Expr) []spot {
	if slices.ContainsFunc(l.all, func(lit *ast.FuncLit) bool { return lit.Pos() <= e.Pos() && e.Pos() < lit.End() }) {
		return l.copies
	}
	return nil
}

// valueOf returns the node if it is an expression that creates a value, or the name in a variable
// declaration. Otherwise, it returns nil.
func valueOf(n ast.Node, info *types.Info) ast.Expr {
	switch n := n.(type) {
	case *ast.UnaryExpr, *ast.CompositeLit, *ast.CallExpr:
		return n.(ast.Expr)
	case *ast.Ident:
		if _, ok := info.Defs[n].(*types.Var); ok {
			return n
		}
	}
	return nil
}

// compilerName returns the compiler's name for a function.
func compilerName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	typ, pointer := fn.Recv.List[0].Type, false
	for {
		switch t := typ.(type) {
		case *ast.ParenExpr:
			typ = t.X
			continue
		case *ast.StarExpr:
			typ, pointer = t.X, true
			continue
		case *ast.Ident:
			if pointer {
				return "(*" + t.Name + ")." + fn.Name.Name
			}
			return t.Name + "." + fn.Name.Name
		}
		return fn.Name.Name // a generic type; its values do not come from an arena
	}
}

// onHeap reports whether a message of the compiler at a position states that an expression or a
// variable is on the heap, and no message states the opposite.
func onHeap(e ast.Expr, messages []string) bool {
	heap, stack := saidOf(e, messages)
	return heap && !stack
}

// saidOf reports whether the compiler's messages at a position state that a value or variable of e
// is on the heap, and whether they state that one is on the stack. Both results may be true if
// there are several values.
func saidOf(e ast.Expr, messages []string) (heap, stack bool) {
	for _, m := range messages {
		if name, ok := strings.CutPrefix(m, "moved to heap: "); ok {
			id, isName := e.(*ast.Ident)
			heap = heap || isName && id.Name == name
			continue
		}
		if value, ok := strings.CutSuffix(m, " escapes to heap"); ok {
			heap = heap || makes(e, value)
		} else if value, ok := strings.CutSuffix(m, " does not escape"); ok {
			stack = stack || makes(e, value)
		}
	}
	return heap, stack
}

// makes reports whether an expression with the same syntax as e may have created the value that a
// compiler message names.
func makes(e ast.Expr, value string) bool {
	switch e := e.(type) {
	case *ast.UnaryExpr:
		return strings.HasPrefix(value, "&")
	case *ast.CompositeLit:
		return !strings.HasPrefix(value, "&") && strings.HasSuffix(value, "}")
	case *ast.CallExpr:
		name, ok := ast.Unparen(e.Fun).(*ast.Ident)
		return ok && (strings.HasPrefix(value, name.Name+"(") || value == name.Name)
	}
	return false
}
