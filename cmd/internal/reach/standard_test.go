package reach

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// harmless contains functions of the standard library whose slices only seem to reach an append or
// a cap. Their source has been inspected.
var harmless = []string{
	"crypto/sha3.UnmarshalBinary", // the elements are copied
	"math/big.GobDecode",          // calls SetBytes
	"math/big.SetBytes",           // the elements are converted to words
	"regexp.FindSubmatchIndex",    // pad appends to a slice of its own
	"runtime.Stack",               // the slice is resliced to its length
	"runtime/metrics.Read",        // the capacity is not used
	"syscall.Munmap",              // the memory is from the system
}

// TestStandardLibrary verifies that rooms.go knows all functions of the standard library that
// append to a slice or read its capacity, so that a new Go version cannot add one unnoticed. The
// test follows each slice that is passed to an exported function, through calls and fields, to an
// append or a cap.
func TestStandardLibrary(t *testing.T) {
	testsize.OnlyInFull(t, "it builds all functions of the standard library")
	all, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax}, "std")
	if err != nil {
		t.Fatal(err)
	}
	program, _ := ssautil.AllPackages(all, ssa.InstantiateGenerics)
	program.Build()
	f := flow{to: map[place][]place{}, seen: map[place]string{}}
	functions := ssautil.AllFunctions(program)
	for fn := range functions {
		f.loads(fn)
		for _, p := range fn.Params {
			f.follow(p, p)
		}
	}
	unknown := map[string]bool{}
	for fn := range functions {
		declared, ok := fn.Object().(*types.Func)
		if !ok || fn.Synthetic != "" || !declared.Exported() || declared.Pkg() == nil || isInternal(declared) || isKnown(declared) {
			continue
		}
		for _, p := range fn.Params {
			if isSlice(p.Type()) && f.ends(p) {
				unknown[pathOf(declared)+"."+declared.Name()] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		if !slices.Contains(harmless, name) {
			t.Errorf("%s may append to a list that it gets, or asks for its capacity", name)
		}
	}
}

// isKnown reports whether rooms.go knows that fn observes the capacity of a slice.
func isKnown(fn *types.Func) bool { return len((&Module{}).appended(fn)) > 0 || seesAny(fn) }

// isInternal reports whether user code cannot call fn directly, because fn is in an internal
// package or is a method of an unexported type.
func isInternal(fn *types.Func) bool {
	parts := strings.Split(pathOf(fn), "/")
	if recv := fn.Signature().Recv(); recv != nil {
		t := recv.Type()
		if p, ok := t.(*types.Pointer); ok {
			t = p.Elem()
		}
		if named, ok := t.(*types.Named); ok && !named.Obj().Exported() {
			return true
		}
	}
	return slices.Contains(parts, "internal") || slices.Contains(parts, "vendor")
}

// A place is a parameter, a field or a package-level variable that may hold a slice. A field is
// represented by a string, and the others by their SSA value.
type place any

// A flow records to which other places the slice in a place may be copied, and which places reach
// an append or a cap directly.
type flow struct {
	to   map[place][]place
	seen map[place]string
}

// ends reports whether the slice in p reaches an append or a cap.
func (f *flow) ends(p place) bool {
	reached := map[place]bool{p: true}
	for work := []place{p}; len(work) > 0; work = work[1:] {
		if f.seen[work[0]] != "" {
			return true
		}
		for _, next := range f.to[work[0]] {
			if !reached[next] && !isWords(next) {
				reached[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// isWords reports whether p is a parameter of math/big.SetBytes, which copies only the elements of
// its argument.
func isWords(p place) bool {
	parameter, ok := p.(*ssa.Parameter)
	return ok && packageOf(parameter.Parent()) == "math/big" && parameter.Parent().Name() == "SetBytes"
}

// loads follows all slices that a function reads from fields and package-level variables.
func (f *flow) loads(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.UnOp:
				if from := placeOfAddress(i.X); from != nil {
					f.follow(from, i)
				}
			case *ssa.Field:
				f.follow(fieldOf(i.X.Type(), i.Field), i)
			}
		}
	}
}

// placeOfAddress returns the place at an address, or nil if the address is neither of a field nor
// of a package-level variable.
func placeOfAddress(address ssa.Value) place {
	switch a := address.(type) {
	case *ssa.FieldAddr:
		return fieldOf(a.X.Type().Underlying().(*types.Pointer).Elem(), a.Field)
	case *ssa.Global:
		return a
	}
	return nil
}

func fieldOf(t types.Type, i int) place { return fmt.Sprint(typekey.Of(t), i) }

// follow follows a slice that was read from a place through all its uses.
func (f *flow) follow(from place, list ssa.Value) {
	values := map[ssa.Value]bool{list: true}
	for work := []ssa.Value{list}; len(work) > 0; work = work[1:] {
		for _, use := range uses(work[0]) {
			for _, next := range f.use(from, work[0], use) {
				if !values[next] {
					values[next] = true
					work = append(work, next)
				}
			}
		}
	}
}

// use records to which places an instruction copies the slice, and returns the values that may then
// hold it.
func (f *flow) use(from place, list ssa.Value, use ssa.Instruction) []ssa.Value {
	switch use := use.(type) {
	case *ssa.Phi, *ssa.ChangeType, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Extract:
		return []ssa.Value{use.(ssa.Value)}
	case *ssa.Slice:
		return []ssa.Value{use}
	case *ssa.Store:
		variable, local := use.Addr.(*ssa.Alloc)
		switch to := placeOfAddress(use.Addr); {
		case use.Val != list:
		case local:
			return readings(variable)
		case to != nil:
			f.to[from] = append(f.to[from], to)
		}
	case ssa.CallInstruction:
		return f.call(from, list, use)
	}
	return nil
}

// readings returns the values that are read from a variable, including reads in function literals
// that capture it.
func readings(variable ssa.Value) (all []ssa.Value) {
	for _, use := range uses(variable) {
		switch use := use.(type) {
		case *ssa.UnOp:
			all = append(all, use)
		case *ssa.MakeClosure:
			for i, b := range use.Bindings {
				if b == variable {
					all = append(all, readings(use.Fn.(*ssa.Function).FreeVars[i])...)
				}
			}
		}
	}
	return all
}

// call implements use for calls. If a function returns a slice of the same type as its argument,
// the result may be that argument.
func (f *flow) call(from place, list ssa.Value, call ssa.CallInstruction) (all []ssa.Value) {
	common := call.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "cap" || b.Name() == "append" && common.Args[0] == list {
			f.seen[from] = b.Name()
		}
		return nil
	}
	fn := common.StaticCallee()
	if fn == nil {
		return nil
	}
	for i, arg := range common.Args {
		if arg == list && i < len(fn.Params) {
			f.to[from] = append(f.to[from], fn.Params[i])
		}
	}
	if result, ok := call.(*ssa.Call); ok && isSlice(result.Type()) && isSlice(list.Type()) && types.Identical(result.Type().Underlying(), list.Type().Underlying()) {
		return []ssa.Value{result}
	}
	return nil
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}
