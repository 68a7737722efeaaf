package own

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Reach determines which code can reach an owner and its values. Package reach implements this
// interface for one build of a module.
type Reach interface {
	// Confined describes how other code can reach the values of a struct. It returns "" if only the
	// call that created a value can.
	Confined(pkgPath, name string) (why string)
	// Visible returns the first position at which code may observe that a struct has an additional
	// field, or "" if there is none.
	Visible(pkgPath, name string) (why string)
	// NotNil reports whether a parameter is never nil between two positions.
	NotNil(parameter, from, to token.Position) bool
	// Captured describes how other code could reach an owner if the code at a position used a
	// parameter of an enclosing function, so that the function literals in between would capture
	// the parameter. It returns "" if no other code could.
	Captured(parameter, at token.Position) (why string)
	// Always reports whether each value of an interface type of the package is a non-nil pointer
	// to the struct owner.
	Always(pkgPath, name, owner string) bool
	// Pinned describes a use of values of a type that requires each value to be allocated
	// separately. It returns "" if there is none.
	Pinned(t types.Type) (why string)
	// PinnedItself is like Pinned, but ignores the values that are reachable from the values of the
	// type.
	PinnedItself(t types.Type) (why string)
	// Beside returns a position at which the module may compute the address of a neighbour of a
	// value in memory, or "" if there is none.
	Beside() (where string)
	// Linked returns a position at which a function is used by its linker name, or "" if there is
	// none.
	Linked(pkgPath, function string) (where string)
	// Taken returns the reason that a struct of the package cannot get a field with the given name,
	// or "" if it can.
	Taken(structName, name string) (why string)
	// Constraint returns the build constraint for a new file that must be part of each build that
	// contains at least one other file of the package. It returns "" if each build contains such a
	// file, so that no constraint is needed. Files for which except returns true are ignored.
	Constraint(except func(name string) bool) string
	// NewFile returns the reason that the package cannot get a new file with the given name, or ""
	// if it can.
	NewFile(name string) (why string)
	// Generated returns the reason that an expression of a generated file is left unchanged, or ""
	// if the generator reproduces the file with the edit.
	Generated(from, to token.Position) (why string)
	// Declared reports whether a name is taken, so that the package cannot declare it.
	Declared(name string) bool
}

// An Ask requests that expressions obtain their values from slabs in a struct.
type Ask struct {
	Owner string     // the struct, by its name in the package
	Exprs []ast.Node // &T{...}, new(T), []T{...}, make([]T, n)
	// Instances is the number of owners that an operation creates; it is negative if unknown. If
	// one owner creates the values of several results, the lifetimes of these results depend on
	// each other.
	Instances float64
}

// A Place is the offset in a file at which an expression, or the name of a variable, begins.
type Place struct {
	File   string
	Offset int
}

// Memory is the kind of memory of a site: a value of a type, or a list of such values.
type Memory struct {
	Type types.Type
	List bool
}

// memoryOf returns the kind of memory of a site.
func memoryOf(s rewrite.Site) Memory {
	return Memory{s.Type, s.Kind == rewrite.List || s.Kind == rewrite.Makes || s.Kind == rewrite.Appends}
}

// Given contains the edits that satisfy a list of asks, and what was done for each of them.
type Given struct {
	Edits edits.Set
	Done  map[ast.Node]string // where the values come from: p.nodes
	Left  map[ast.Node]string // why an expression stays as it is
	// NewParameters lists the functions to which the owner was added as a parameter, each with the
	// parameter, as in newNode(p *parser).
	NewParameters []string
	// The next four fields are set only if a function gets a form with an arena.
	Function *types.Func
	Owner    types.Type
	Made     []Memory                 // that comes from the arena
	Touched  map[Place][][2]token.Pos // the ranges that the edits of each place replace

	Parts  bool   // copies of parts of variables are returned
	File   string // the name of the file with the type of the fields, if one is written
	Inside string // the name of the type, if that file existed before
	// Alloc and SliceOf are the names that the methods Alloc and SliceOf have in the package. They
	// differ if the type was written by an earlier version.
	Alloc, SliceOf string
}

// A Wish requests a second form of a function, in which values come from an arena.
type Wish struct {
	Function string              // its name; Type.Method for a method
	Stays    func(Memory) string // why memory does not come from the arena; empty if it may
	Leave    map[Place]string    // places that stay as they are, and why
	Lists    Lists
}

// Lists selects the lists that come from an arena.
type Lists int

// The values of Lists. NotReturned excludes lists that are only returned: such lists grow on the
// stack, which saves memory for callers without an arena.
const (
	EveryList Lists = iota
	NotReturned
)
