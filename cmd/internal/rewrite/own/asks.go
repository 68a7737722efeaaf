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
	// Confined describes how code can reach a value of a struct, apart from the call that created
	// the value. It returns "" if no such code exists.
	Confined(pkgPath, name string) (why string)
	// Visible returns the first position at which code may observe that a struct has an additional
	// field, or "" if there is none.
	Visible(pkgPath, name string) (why string)
	// NotNil reports whether a parameter is never nil in the code between two positions.
	NotNil(parameter, from, to token.Position) bool
	// Captured describes how other code could reach an owner if the code at a position used a
	// parameter of an enclosing function. The function literals in between would then capture the
	// parameter. It returns "" if other code could not reach the owner.
	Captured(parameter, at token.Position) (why string)
	// Always reports whether every value of an interface type of the package is a non-nil pointer
	// to the struct owner.
	Always(pkgPath, name, owner string) bool
	// Pinned describes code that requires each value of a type to be allocated separately. It
	// returns "" if there is none.
	Pinned(t types.Type) (why string)
	// PinnedItself is like Pinned, but ignores values that are only reachable from values of the
	// type.
	PinnedItself(t types.Type) (why string)
	// Beside returns a position at which the module may compute the address of a value's neighbour
	// in memory, or "" if there is none.
	Beside() (where string)
	// Linked returns a position at which code refers to a function by its linker name, or "" if
	// there is none.
	Linked(pkgPath, function string) (where string)
	// Taken returns the reason why a struct of the package cannot get a field with the given name,
	// or "" if it can.
	Taken(structName, name string) (why string)
	// Constraint returns the build constraint that a new file needs, so that each build with at
	// least one other file of the package also contains the new file. It returns "" if the new file
	// needs no constraint, because each build contains such a file. Files for which except returns
	// true are ignored.
	Constraint(except func(name string) bool) string
	// NewFile returns the reason why the package cannot get a new file with the given name, or ""
	// if it can.
	NewFile(name string) (why string)
	// Generated returns the reason why an expression of a generated file is left unchanged, or ""
	// if the generator reproduces the file with the edit.
	Generated(from, to token.Position) (why string)
	// Declared reports whether the package cannot declare a name because the name is taken.
	Declared(name string) bool
}

// An Ask is a request to allocate the values of expressions in slabs that are fields of a struct.
type Ask struct {
	Owner string     // name of the struct in its package
	Exprs []ast.Node // &T{...}, new(T), []T{...}, make([]T, n)
	// Instances is the number of owners that an operation creates, or a negative number if unknown.
	// If one owner creates the values of several results, the lifetimes of these results depend on
	// each other.
	Instances float64
}

// A Place identifies an expression by the offset in a file at which the expression, or the name of
// a variable, begins.
type Place struct {
	File   string
	Offset int
}

// Memory describes what a site allocates: a value of a type, or a list of such values.
type Memory struct {
	Type types.Type
	List bool
}

// memoryOf returns a description of what a site allocates.
func memoryOf(s rewrite.Site) Memory {
	return Memory{s.Type, s.Kind == rewrite.List || s.Kind == rewrite.Makes || s.Kind == rewrite.Appends}
}

// Given contains the edits that satisfy a list of asks, and reports for each expression what was
// done.
type Given struct {
	Edits edits.Set
	Done  map[ast.Node]string // where values come from, for example p.nodes
	Left  map[ast.Node]string // why expressions stay as they are
	// NewParameters lists the functions that got the owner as a parameter, each with the parameter,
	// as in newNode(p *parser).
	NewParameters []string
	// The next four fields are set only if a function gets a variant that accepts an arena.
	Function *types.Func
	Owner    types.Type
	Made     []Memory                 // memory that comes from the arena
	Touched  map[Place][][2]token.Pos // source ranges that the edits of each place replace

	Parts  bool   // the new code returns copies of parts of variables
	File   string // name of the file with the type of the fields, if one is written
	Inside string // name of the type in File, if that file existed before
	// Alloc and SliceOf are the names that the package uses for the methods Alloc and SliceOf.
	// Other names are used if an earlier version wrote the type.
	Alloc, SliceOf string
}

// A Wish is a request for a second variant of a function, in which values come from an arena.
type Wish struct {
	Function string              // name of the function; Type.Method for a method
	Stays    func(Memory) string // reason not to take memory from the arena; empty if none
	Leave    map[Place]string    // places that stay as they are, with the reasons
	Lists    Lists
}

// Lists selects the lists that are allocated in an arena.
type Lists int

// These are the values of Lists. NotReturned excludes lists that are only returned: such lists grow
// on the stack, which saves memory for callers without an arena.
const (
	EveryList Lists = iota
	NotReturned
)
