package reach

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/reach/typekey"
)

// readers lists functions and methods of the standard library that neither append to the slices
// that they can reach nor overwrite the elements of these slices. They only read their arguments,
// or store them so that the module itself can use them later. Package reflect is included because
// seesAny handles its effects on slices. Functions of the module that the readers call are
// inspected separately.
var readers = map[string]struct {
	all   bool     // all of the package, apart from ...
	these []string // or only these
}{
	"container/heap":  {all: true},
	"container/list":  {all: true},
	"container/ring":  {all: true},
	"context":         {all: true},
	"encoding/binary": {these: []string{"Write", "Size"}},
	"encoding/gob":    {these: []string{"Encode", "EncodeValue", "Register", "RegisterName"}},
	"encoding/json":   {these: []string{"Marshal", "MarshalIndent", "Encode"}},
	"encoding/xml":    {these: []string{"Marshal", "MarshalIndent", "Encode", "EncodeElement", "EncodeToken"}},
	"errors":          {all: true},
	"fmt":             {true, []string{"Scan", "Scanf", "Scanln", "Sscan", "Sscanf", "Sscanln", "Fscan", "Fscanf", "Fscanln"}},
	"log":             {all: true},
	"log/slog":        {all: true},
	"maps":            {all: true},
	"net/http":        {these: []string{"Get", "Values", "Del", "Write"}},
	"net/textproto":   {these: []string{"Get", "Values", "Del"}},
	"net/url":         {these: []string{"Get", "Has", "Del", "Encode"}},
	"reflect":         {all: true},
	"runtime":         {all: true},
	"slices":          {all: true},
	"sort":            {all: true},
	"sync":            {all: true},
	"sync/atomic":     {all: true},
	"testing":         {all: true},
}

// reads reports whether a function is listed in readers.
func reads(path, name string) bool {
	r := readers[path]
	return r.all != slices.Contains(r.these, name)
}

// A taker is code without a known body to which the module passes values: a function of another
// module, a function without a body, a function value that may be such a function, or a variable of
// another module.
type taker struct {
	at         ssa.Instruction
	path, name string // the package; empty for a function value, which may belong to any package
}

// findGiven records the slices to which takers may append, or whose elements they may overwrite,
// because the slices are reachable from values that are passed to the takers.
func (o *origins) findGiven() {
	o.findBoxes()
	for _, fn := range o.functions {
		if o.inTest(fn) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				o.gives(i)
			}
		}
	}
}

// gives inspects the values that an instruction passes to takers. It may pass them by a call, by an
// assignment, or by using a function or a method as a value. A value that is converted to
// unsafe.Pointer may reach any code.
func (o *origins) gives(i ssa.Instruction) {
	var called ssa.Value
	switch i := i.(type) {
	case ssa.CallInstruction:
		called = i.Common().Value
		o.givesCall(i)
		o.countsFrom(i)
	case *ssa.MakeClosure:
		if fn := i.Fn.(*ssa.Function); o.body(fn) == nil { // a method that is bound to its receiver
			o.giveValue(o.taker(i, fn), i.Bindings[0], nil)
			o.noteLists(o.taker(i, fn), i.Bindings[0])
		}
	case *ssa.Store:
		if path, name := o.placeOutside(i.Addr); path != "" {
			o.giveValue(taker{i, path, name}, i.Val, i.Addr.Type().Underlying().(*types.Pointer).Elem())
			o.noteLists(taker{i, path, name}, i.Val)
		}
	case *ssa.MapUpdate:
		if path := o.declaredOutside(i.Map.Type()); path != "" {
			o.giveValue(taker{i, path, typekey.Short(i.Map.Type())}, i.Value, i.Map.Type().Underlying().(*types.Map).Elem())
			o.noteLists(taker{i, path, typekey.Short(i.Map.Type())}, i.Value)
		}
	case *ssa.Convert:
		if to, ok := i.Type().Underlying().(*types.Basic); ok && to.Kind() == types.UnsafePointer && !becomesText(i) {
			o.giveValue(taker{i, "unsafe", "unsafe.Pointer"}, i.X, nil)
		}
		o.converts(i)
	}
	for _, operand := range i.Operands(nil) {
		if fn, ok := (*operand).(*ssa.Function); ok && *operand != called && o.body(fn) == nil {
			o.givesArguments(o.taker(i, fn), fn)
			o.givesAnything(o.taker(i, fn), fn.Signature.Params())
		}
	}
}

// taker returns the taker that represents a function.
func (o *origins) taker(i ssa.Instruction, fn *ssa.Function) taker {
	name := fn.Name()
	if fn.Object() != nil {
		name = fn.Object().Name() // without the suffixes of wrappers and instances
	}
	return taker{i, packageOf(fn), name}
}

// givesCall inspects the arguments and the receiver of a call to a taker.
func (o *origins) givesCall(call ssa.CallInstruction) {
	common := call.Common()
	to, params := taker{at: call}, common.Signature().Params()
	args := common.Args
	switch fn := common.StaticCallee(); {
	case fn != nil:
		if o.body(fn) != nil {
			return
		}
		to = o.taker(call, fn)
		o.givesArguments(to, fn)
		if fn.Signature.Recv() != nil {
			o.giveValue(to, args[0], nil)
			o.noteLists(to, args[0])
			args = args[1:]
		}
	case common.IsInvoke():
		o.givesMethod(call)
		outside := o.methodsOutside(common.Value.Type().Underlying().(*types.Interface), common.Method)
		if len(outside) == 0 && o.own[pathOf(common.Method)] && !(common.Method.Exported() && o.elsewhere.makesMethod(common.Method)) {
			return
		}
		to.path, to.name = pathOf(common.Method), common.Method.Name()
		for _, m := range outside {
			o.giveType(taker{call, m.path, to.name}, m.recv)
		}
	default:
		if _, builtin := common.Value.(*ssa.Builtin); builtin || !o.elsewhere.makes(common.Signature()) {
			return // recorded where such a function becomes a value
		}
		to.name = "a function value"
	}
	for i, arg := range args {
		var param types.Type
		if i < params.Len() {
			param = params.At(i).Type()
		}
		o.giveValue(to, arg, param)
		o.noteLists(to, arg)
	}
	if !reads(to.path, to.name) {
		for r := range common.Signature().Results().Variables() { // to which the module may add
			o.noteGiven(to, o.leads(question{t: r.Type(), back: true}))
		}
	}
}

// givesMethod inspects the arguments of an interface method call in an instance of a generic
// function. The source code of that function contains only type parameters.
func (o *origins) givesMethod(call ssa.CallInstruction) {
	method := call.Common().Method
	to := taker{call, pathOf(method), method.Name()}
	for _, i := range o.appended(method) {
		o.noteInstances(to, call.Common().Args[i])
	}
	if isInstance(call.Parent()) && seesAny(method) {
		o.noteGiven(to, []string{anySlice})
	}
}

// keepsLists reports whether a taker may append to a slice that is itself an argument. Only
// standard library packages that do not call methods by name are assumed not to do so.
func (o *origins) keepsLists(to taker) bool {
	return to.path == "" || !goroot.Has(to.path) || callsByName(to)
}

// callsByName reports whether a taker may call methods by name, and pass their results to other
// methods.
func callsByName(to taker) bool { return slices.Contains(reflecting, to.path) }

// noteLists records the slices in arg if arg is passed directly to a taker that may append to them,
// in an instance of a generic function.
func (o *origins) noteLists(to taker, arg ssa.Value) {
	if o.keepsLists(to) {
		o.noteInstances(to, arg)
	}
}

// noteInstances records the slices in arg if the call is in an instance of a generic function. Its
// source code contains only type parameters.
func (o *origins) noteInstances(to taker, arg ssa.Value) {
	if !isInstance(to.at.Parent()) {
		return
	}
	for _, v := range parts(arg) {
		if list, ok := v.Type().Underlying().(*types.Slice); ok {
			o.noteGiven(to, []string{typekey.Of(list)})
		}
	}
}

// isInstance reports whether fn is an instance of a generic function, or a function literal inside
// one.
func isInstance(fn *ssa.Function) bool {
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	return len(fn.TypeArgs()) > 0
}

// givesArguments inspects the type arguments of a generic taker, because it may call their methods,
// and the methods of the results.
func (o *origins) givesArguments(to taker, fn *ssa.Function) {
	if fn.Origin() == nil || reads(to.path, to.name) {
		return
	}
	for i, t := range fn.TypeArgs() {
		if called, ok := fn.Origin().TypeParams().At(i).Constraint().Underlying().(*types.Interface); ok {
			o.noteGiven(to, o.leads(question{t: t, called: called, all: o.keepsLists(to)}))
		}
	}
}

// An outsideMethod is a method that another module declares, of a type that the module converts to
// an interface.
type outsideMethod struct {
	recv types.Type
	path string
}

// methodsOutside returns the methods of other modules that may run when an interface method is
// called.
func (o *origins) methodsOutside(t *types.Interface, method *types.Func) (all []outsideMethod) {
	for _, boxed := range o.behind(t) {
		if s := o.methodSets.MethodSet(boxed).Lookup(method.Pkg(), method.Name()); s != nil && !o.own[pathOf(s.Obj())] {
			all = append(all, outsideMethod{boxed, pathOf(s.Obj())})
		}
	}
	return all
}

// placeOutside returns the package and the name of the variable or field to which an address
// points, if another module declares it. For an element, it returns the package and the name of the
// container type. Both results are "" if the address points to memory of this module.
func (o *origins) placeOutside(address ssa.Value) (path, name string) {
	switch a := address.(type) {
	case *ssa.Global:
		if v := a.Object(); v != nil && !o.own[pathOf(v)] { // none for the compiler's own variables
			return pathOf(v), a.Name()
		}
	case *ssa.FieldAddr:
		f := typekey.StructOf(a.X.Type()).Field(a.Field)
		if path := pathOf(f); f.Exported() && !o.own[path] {
			return path, f.Name()
		}
	case *ssa.IndexAddr:
		return o.declaredOutside(a.X.Type()), typekey.Short(a.X.Type())
	}
	return "", ""
}

// declaredOutside returns the path of the package that declares a type, if the package belongs to
// another module, and "" otherwise.
func (o *origins) declaredOutside(t types.Type) (path string) {
	if named, ok := types.Unalias(t).(*types.Named); ok && !o.own[pathOf(named.Obj())] {
		return pathOf(named.Obj())
	}
	return ""
}

// becomesText reports whether i is part of a conversion from the address of a byte slice to the
// address of a string, so that the string shares the bytes of the slice.
func becomesText(i *ssa.Convert) bool {
	return !slices.ContainsFunc(uses(i), func(use ssa.Instruction) bool {
		to, ok := use.(*ssa.Convert)
		if !ok {
			return true
		}
		p, ok := to.Type().Underlying().(*types.Pointer)
		if !ok {
			return true
		}
		text, ok := p.Elem().Underlying().(*types.Basic)
		return !ok || text.Kind() != types.String
	})
}

// giveValue records the slices that a taker can reach through the value v. param is the type of the
// parameter for v, or nil if the type is irrelevant.
func (o *origins) giveValue(to taker, v ssa.Value, param types.Type) {
	if reads(to.path, to.name) {
		return
	}
	for _, v := range parts(v) {
		called, isInterface := methodsOf(param)
		switch {
		case o.untouched(v, to):
		case !isInterface:
			o.giveType(to, v.Type())
		default:
			if o.keepsLists(to) {
				o.giveType(to, v.Type())
			}
			o.giveMethods(to, v.Type(), called)
		}
	}
}

// methodsOf returns the interface type of a parameter. ok reports whether that interface has
// methods.
func methodsOf(param types.Type) (called *types.Interface, ok bool) {
	if param != nil {
		called, ok = param.Underlying().(*types.Interface)
	}
	return called, ok && called.NumMethods() > 0
}

// giveMethods is like giveValue, but for a taker that only calls methods of the value. The standard
// library does nothing else with values of an interface type that has methods.
func (o *origins) giveMethods(to taker, t types.Type, called *types.Interface) {
	all := []types.Type{t}
	if behind, ok := t.Underlying().(*types.Interface); ok {
		all = o.behind(behind)
	}
	for _, t := range all {
		for method := range called.Methods() {
			if m := o.methodSets.MethodSet(t).Lookup(method.Pkg(), method.Name()); m == nil || !o.own[pathOf(m.Obj())] {
				o.giveType(to, t)
			}
		}
		o.noteGiven(to, o.leads(question{t: t, called: called, all: o.keepsLists(to)}))
	}
}

// giveType is like giveValue, but applies to all values of type t.
func (o *origins) giveType(to taker, t types.Type) {
	if !reads(to.path, to.name) {
		o.noteGiven(to, o.leads(question{t: t, all: o.keepsLists(to), byName: callsByName(to)}))
	}
}

// givesAnything records all slices that can be reached through the parameters of a taker. It is
// used for takers that are used as function values, because the arguments are unknown.
func (o *origins) givesAnything(to taker, params *types.Tuple) {
	for p := range params.Variables() {
		o.giveType(to, p.Type())
	}
}

// noteGiven records that a taker may observe the capacities of slices. Only the first position is
// recorded for each slice type.
func (o *origins) noteGiven(to taker, lists []string) {
	for _, key := range lists {
		if !o.given[key] {
			o.given[key] = true
			r := Room{what: "given to " + to.name}
			if to.at.Pos().IsValid() {
				r.At = o.at(to.at.Pos())
			}
			o.rooms[key] = append(o.rooms[key], r)
		}
	}
}

// parts returns the individual values in an argument: the elements of a variadic slice, and the
// original value if its conversion to an interface is visible.
func parts(v ssa.Value) (all []ssa.Value) {
	cut, ok := v.(*ssa.Slice)
	if !ok {
		return []ssa.Value{unboxed(v)}
	}
	array, ok := cut.X.(*ssa.Alloc)
	if !ok || array.Comment != "varargs" {
		return []ssa.Value{v}
	}
	for _, use := range uses(array) {
		if element, ok := use.(*ssa.IndexAddr); ok {
			for _, set := range uses(element) {
				if set, ok := set.(*ssa.Store); ok {
					all = append(all, unboxed(set.Val))
				}
			}
		}
	}
	return all
}

// untouched reports whether v is the address of a variable that the module never sets, so that all
// slices in the variable come from the taker. The encoding packages do not store the address, so
// later uses do not matter for them. The variable does not qualify if a taker may call methods of
// the module, which could set it.
func (o *origins) untouched(v ssa.Value, to taker) bool {
	variable, ok := v.(*ssa.Alloc)
	return ok && !o.hasMethods(variable.Type(), to) && o.onlyFilled(variable, strings.HasPrefix(to.path, "encoding/"))
}

// hasMethods reports whether a taker may find methods of the module in the values that are
// reachable from a value of type t. Package gob stores values of the module in interfaces.
func (o *origins) hasMethods(t types.Type, to taker) bool {
	w := walk{Module: o.Module, hidden: true, seen: map[string]bool{}}
	w.found = func(t types.Type) bool {
		if to.path == "encoding/gob" && types.IsInterface(t) {
			return true
		}
		methods := slices.Collect(types.NewMethodSet(types.NewPointer(t)).Methods())
		return !types.IsInterface(t) && slices.ContainsFunc(methods, func(s *types.Selection) bool {
			return s.Obj().Exported() && o.own[pathOf(s.Obj())]
		})
	}
	return w.finds(t)
}

// onlyFilled reports whether an address is only read, passed to code outside the module and, if
// mayReturn is set, returned. Reading a value must not give access to memory in which other code
// could store other slices. mayReturn is set for the encoding packages. They replace the value in
// an interface variable, instead of filling the old value.
func (o *origins) onlyFilled(address ssa.Value, mayReturn bool) bool {
	return !slices.ContainsFunc(uses(address), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.UnOp:
			replaced := mayReturn && types.IsInterface(use.Type()) // as a whole, whatever its contents
			return use.Op != token.MUL || !replaced && leadsToPlace(use.Type())
		case *ssa.Return:
			return !mayReturn
		case *ssa.FieldAddr:
			return !o.onlyFilled(use, false)
		case *ssa.IndexAddr:
			return !o.onlyFilled(use, false)
		case *ssa.MakeInterface:
			return !o.onlyFilled(use, false)
		case *ssa.Store:
			_, plain := use.Val.Type().Underlying().(*types.Basic)
			return use.Val == address || !plain
		case *ssa.Call:
			fn := use.Call.StaticCallee()
			return fn == nil || o.body(fn) != nil
		}
		return true
	})
}

// leadsToPlace reports whether code that has a value of type t can store a slice in memory that is
// reachable from the value. A value that is itself a slice, or a struct that contains one, does not
// qualify: the code has only a copy of it.
func leadsToPlace(t types.Type) bool { return placeIn(t, false, map[types.Type]bool{}) }

// placeIn implements leadsToPlace for a type inside another type. shared is set if the value is in
// shared memory instead of in the copy. Values of unknown types may lead to any memory.
func placeIn(t types.Type, shared bool, seen map[types.Type]bool) bool {
	if named, ok := types.Unalias(t).(*types.Named); ok && shared {
		if seen[named] {
			return false
		}
		seen[named] = true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Slice:
		return shared || placeIn(u.Elem(), true, seen)
	case *types.Pointer:
		return placeIn(u.Elem(), true, seen)
	case *types.Map:
		return placeIn(u.Key(), true, seen) || placeIn(u.Elem(), true, seen)
	case *types.Array:
		return placeIn(u.Elem(), shared, seen)
	case *types.Struct:
		for f := range u.Fields() {
			if placeIn(f.Type(), shared, seen) {
				return true
			}
		}
		return false
	}
	return true
}
