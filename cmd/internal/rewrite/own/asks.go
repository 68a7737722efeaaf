package own

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// Reach says who can reach an owner and its values. Package reach answers for one build of a
// module.
type Reach interface {
	// Confined says how others can reach the values of a struct; empty if only the call that made
	// one can.
	Confined(pkgPath, name string) (why string)
	// Visible says where code may see that a struct has one more field; empty if no code does.
	Visible(pkgPath, name string) (why string)
	// NotNil reports whether a parameter is never nil between two places.
	NotNil(parameter, from, to token.Position) bool
	// Captured says how others can reach an owner if code gets it from a parameter of a function
	// around it, and so function literals in between get it; empty if none can.
	Captured(parameter, at token.Position) (why string)
	// Always reports whether whatever has an interface type of the package has a pointer to a
	// struct of it, and never nil.
	Always(pkgPath, name, owner string) bool
	// Pinned says what the module does to values of a type that wants each of them in memory of its
	// own; empty if nothing.
	Pinned(t types.Type) (why string)
	// PinnedItself is Pinned, except for what values lead to.
	PinnedItself(t types.Type) (why string)
	// Beside is where the module may find by the address of a value what lies beside it; empty if
	// nowhere.
	Beside() (where string)
	// Linked is where a function is called by its name for the linker; empty if nowhere.
	Linked(pkgPath, function string) (where string)
	// Taken says why a struct of the package cannot get a field of that name; empty if it can.
	Taken(structName, name string) (why string)
	// Constraint is the build constraint of a new file: of all builds that have a file of the
	// package other than some; empty if all have.
	Constraint(except func(name string) bool) string
	// NewFile says why the package gets no new file of that name; empty if it may get one.
	NewFile(name string) (why string)
	// Generated says why an expression of a generated file stays as it is; empty if its generator
	// makes the file again with a change of it.
	Generated(from, to token.Position) (why string)
	// Declared reports whether the package cannot declare a name for all of its files.
	Declared(name string) bool
}

// An Ask says which expressions take their values from slabs in a struct.
type Ask struct {
	Owner string     // the struct, by its name in the package
	Exprs []ast.Node // &T{...}, new(T), []T{...}, make([]T, n)
	// Instances is how many owners an operation makes; negative if unknown. An owner that makes the
	// values of several results ties these together.
	Instances float64
}

// A Place is where an expression begins, or the name of a variable: the offset in a file.
type Place struct {
	File   string
	Offset int
}

// Memory is what a site takes: a value of a type, or a list of such values.
type Memory struct {
	Type types.Type
	List bool
}

// memoryOf returns the memory that a site takes.
func memoryOf(s rewrite.Site) Memory {
	return Memory{s.Type, s.Kind == rewrite.List || s.Kind == rewrite.Makes || s.Kind == rewrite.Appends}
}

// Given is what came of asks.
type Given struct {
	Edits edits.Set
	Done  map[ast.Node]string // where the values come from: p.nodes
	Left  map[ast.Node]string // why an expression stays as it is
	// NewParameters are the functions that got the owner as a parameter, with that: newNode(p
	// *parser).
	NewParameters []string
	// Of a function that gets a form with an arena.
	Function *types.Func
	Owner    types.Type
	Made     []Memory                 // that comes from the arena
	Touched  map[Place][][2]token.Pos // what the edits of each place replace

	Parts  bool   // copies of parts of variables are returned
	File   string // the name of the file with the type of the fields, where one is written
	Inside string // the name of the type, where that file is one that was there
	// Alloc and SliceOf are what the methods are called that take values: an earlier change may
	// have given them other names.
	Alloc, SliceOf string
}

// A Wish is what is asked of a function that gets a form with an arena.
type Wish struct {
	Function string              // its name; that of a method is Type.Method
	Stays    func(Memory) string // why memory does not come from the arena; empty if it may
	Leave    map[Place]string    // places that stay as they are, and why
	Lists    Lists
}

// Lists says which lists come from an arena.
type Lists int

// The lists. One that is only returned the compiler lets grow on the stack, which counts without an
// arena.
const (
	EveryList Lists = iota
	NotReturned
)
