package reach

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// The capacity of a slice is stored in its header, which code can read through package unsafe. If
// an address is converted to unsafe.Pointer, the slice headers in the memory at that address are
// recorded. If the code computes further addresses, for example from one field to the next, it may
// read any header in the same variable. If that variable is unknown, it may read any header at all.

// converts inspects conversions of an address to unsafe.Pointer, and conversions from
// unsafe.Pointer to the address of a larger type.
func (o *origins) converts(i *ssa.Convert) {
	switch from := i.X.Type().Underlying().(type) {
	case *types.Pointer:
		if isUnsafe(i.Type()) && !becomesText(i) {
			o.noteHeaders(i, from.Elem())
		}
	case *types.Basic:
		to, pointer := i.Type().Underlying().(*types.Pointer)
		source, known := i.X.(*ssa.Convert)
		switch {
		case isUnsafe(from) && i.Type().Underlying() == types.Typ[types.Uintptr] && o.comesBack():
			o.goesBeyond(i, i.X)
		case !isUnsafe(from) || !pointer:
		case known && isPointer(source.X):
			o.widens(source, to.Elem())
		default: // it may be any address that is passed on
			for _, source := range o.passedOn() {
				o.widens(source, to.Elem())
			}
		}
	}
}

// widens inspects a conversion through unsafe.Pointer to the address of a type that may be larger.
func (o *origins) widens(source *ssa.Convert, to types.Type) {
	from := source.X.Type().Underlying().(*types.Pointer).Elem()
	if typekey.DependsOnParameter(to) || typekey.DependsOnParameter(from) || sizes.Sizeof(to) > sizes.Sizeof(from) {
		o.goesBeyond(source, source.X)
	}
}

// passedOn returns the conversions to unsafe.Pointer whose result is used in any way other than a
// direct conversion to another type.
func (o *origins) passedOn() []*ssa.Convert {
	if o.passed == nil {
		o.passed = []*ssa.Convert{}
		for _, c := range o.conversions() {
			if isPointer(c.X) && isUnsafe(c.Type()) && slices.ContainsFunc(uses(c), func(use ssa.Instruction) bool {
				_, again := use.(*ssa.Convert)
				return !again
			}) {
				o.passed = append(o.passed, c)
			}
		}
	}
	return o.passed
}

// conversions returns all type conversions in the module, except in test files.
func (o *origins) conversions() (all []*ssa.Convert) {
	for _, fn := range o.functions {
		if o.inTest(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(*ssa.Convert); ok {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// sizes computes the sizes of types on 64-bit machines. The sizes are only compared with each
// other.
var sizes = types.SizesFor("gc", "amd64")

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

func isPointer(v ssa.Value) bool {
	_, ok := v.Type().Underlying().(*types.Pointer)
	return ok
}

// countsFrom inspects calls to unsafe.Add, unsafe.Slice and unsafe.String, which compute an address
// from another one, or create a slice or a string at an address.
func (o *origins) countsFrom(call ssa.CallInstruction) {
	b, ok := call.Common().Value.(*ssa.Builtin)
	if ok && slices.Contains([]string{"Add", "Slice", "String"}, b.Name()) {
		o.goesBeyond(call, call.Common().Args[0])
	}
}

// comesBack reports whether the module converts a number to an address anywhere.
func (o *origins) comesBack() bool {
	if o.backAgain == nil {
		found := slices.ContainsFunc(o.conversions(), func(c *ssa.Convert) bool { return isUnsafe(c.Type()) && !isPointer(c.X) })
		o.backAgain = &found
	}
	return *o.backAgain
}

// goesBeyond records the slices in the variable that contains the given address, because code may
// read any part of this variable.
func (o *origins) goesBeyond(i ssa.Instruction, address ssa.Value) {
	if t := variable(address); t != nil {
		o.noteHeaders(i, t)
		return
	}
	o.noteGiven(taker{i, "unsafe", "unsafe"}, []string{anySlice})
}

// variable returns the type of the variable or slice element that contains an address, or nil if it
// is unknown. Code is not allowed to compute addresses outside it.
func variable(address ssa.Value) types.Type {
	switch a := address.(type) {
	case *ssa.Convert:
		return variable(a.X)
	case *ssa.ChangeType:
		return variable(a.X)
	case *ssa.FieldAddr:
		return variable(a.X)
	case *ssa.IndexAddr:
		if list, ok := a.X.Type().Underlying().(*types.Slice); ok {
			return list.Elem()
		}
		return variable(a.X)
	case *ssa.Alloc:
		return a.Type().Underlying().(*types.Pointer).Elem()
	case *ssa.Global:
		return a.Type().Underlying().(*types.Pointer).Elem()
	case *ssa.Call:
		if b, ok := a.Call.Value.(*ssa.Builtin); ok && slices.Contains([]string{"SliceData", "StringData"}, b.Name()) {
			return a.Type().Underlying().(*types.Pointer).Elem() // the first element
		}
	}
	return nil
}

// noteHeaders records the slices that values of type t contain.
func (o *origins) noteHeaders(i ssa.Instruction, t types.Type) {
	o.noteGiven(taker{i, "unsafe", "unsafe"}, o.listsIn(t))
}
