package rewrite

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/packages"
)

// Locals knows which expressions of a package no call can change.
type Locals struct{ p *pass }

// LocalsOf looks at the variables of a package.
func LocalsOf(pkg *packages.Package) Locals {
	p := &pass{Package: pkg}
	p.shared = p.findShared()
	return Locals{p}
}

// Plain reports whether an expression is a constant, or a local variable or a part of it that no call can change. It always has a value.
func (l Locals) Plain(e ast.Expr) bool { return l.p.plain(e) }

// Root returns the variable that an expression is a part of, or nil if it follows a pointer on the way. Indices do not count.
func (l Locals) Root(e ast.Expr) types.Object { return l.p.root(e) }

// Shared reports whether somebody else may change a variable: its address is taken, or a function literal uses it.
func (l Locals) Shared(v types.Object) bool { return l.p.shared[v] }
