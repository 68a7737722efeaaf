package flow

import (
	"go/ast"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

// A Program contains the functions of a package that may have findings. For each function that they
// call, it also records the objects that the function resets or gives to a pool, and the origins of
// its results. A Program does not change after Functions has returned it, so rules may use it
// concurrently.
type Program struct {
	Functions []*ssa.Function
	pass      *analysis.Pass
	endings   map[*ssa.Function][]ending
	origins   map[*ssa.Function][]origin
	working   map[*ssa.Function]bool
	resets    map[string]bool     // types whose Reset the package mentions
	reused    map[*types.Var]bool // fields whose memory is used again: x.f[:0]
	changed   map[*types.Var]bool // fields that may be assigned after their struct was made
}

// newProgram returns a Program for the given functions.
func newProgram(pass *analysis.Pass, functions []*ssa.Function) *Program {
	p := &Program{
		Functions: functions, pass: pass,
		endings: map[*ssa.Function][]ending{}, origins: map[*ssa.Function][]origin{}, working: map[*ssa.Function]bool{},
		resets: map[string]bool{}, reused: map[*types.Var]bool{}, changed: map[*types.Var]bool{},
	}
	if len(functions) == 0 {
		return p
	}
	p.readSyntax()
	for _, fn := range functions {
		p.readAssignments(fn)
	}
	p.computeOrigins()
	for _, fn := range functions {
		p.endingsOf(fn)
		for _, block := range fn.Blocks {
			for _, instr := range block.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && call.Common().StaticCallee() != nil {
					p.endingsOf(call.Common().StaticCallee())
				}
			}
		}
	}
	return p
}

// readSyntax records the types that are reset somewhere in the package, and the fields that are
// truncated to length zero.
func (p *Program) readSyntax() {
	for _, object := range p.pass.TypesInfo.Uses {
		fn, ok := object.(*types.Func)
		if ok && fn.Signature().Recv() != nil && (fn.Name() == "Reset" || fn.Name() == "Truncate") {
			p.resets[sourceOf(fn.Signature().Recv().Type())] = true
		}
	}
	for _, file := range p.pass.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			slice, ok := n.(*ast.SliceExpr)
			if !ok || slice.High == nil {
				return true
			}
			high, ok := slice.High.(*ast.BasicLit)
			if !ok || high.Value != "0" || slice.Max != nil {
				return true
			}
			if field, ok := ast.Unparen(slice.X).(*ast.SelectorExpr); ok {
				if v, ok := p.pass.TypesInfo.Uses[field.Sel].(*types.Var); ok && v.IsField() {
					p.reused[v.Origin()] = true
				}
			}
			return true
		})
	}
}

// readAssignments records the fields to which a function assigns, except for fields of structs that
// the function itself creates.
func (p *Program) readAssignments(fn *ssa.Function) {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			switch x := instr.(type) {
			case *ssa.FieldAddr:
				if _, made := x.X.(*ssa.Alloc); made && onlyStoredOnce(x) || onlyLoaded(x) {
					continue
				}
				if v := fieldAt(x.X.Type(), x.Field); v != nil {
					p.changed[v] = true
				}
			case *ssa.Store:
				fields, ok := x.Val.Type().Underlying().(*types.Struct)
				if _, made := x.Addr.(*ssa.Alloc); !ok || made {
					continue
				}
				for f := range fields.Fields() {
					p.changed[f.Origin()] = true
				}
			}
		}
	}
}

// onlyStoredOnce reports whether the address of a field is used only for assignments to the field.
func onlyStoredOnce(addr *ssa.FieldAddr) bool {
	for _, user := range *addr.Referrers() {
		if store, ok := user.(*ssa.Store); !ok || store.Val == addr {
			return false
		}
	}
	return true
}

// fieldAt returns the i-th field of the struct to which a pointer type points, or nil if there is
// none.
func fieldAt(pointer types.Type, i int) *types.Var {
	if p, ok := pointer.Underlying().(*types.Pointer); ok {
		pointer = p.Elem()
	}
	fields, ok := pointer.Underlying().(*types.Struct)
	if !ok || i >= fields.NumFields() {
		return nil
	}
	return fields.Field(i).Origin()
}

// fieldsOf returns the fields on a path. through[i] reports whether the path continues through the
// pointer in fields[i]. Both are nil if a step is not a field or a pointer.
func fieldsOf(path Path) (fields []*types.Var, through []bool) {
	t := path.Root.Type()
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	for rest := path.Steps; rest != ""; {
		if rest[0] == '*' {
			if p, ok := t.Underlying().(*types.Pointer); ok {
				t = p.Elem()
			}
			if len(through) > 0 {
				through[len(through)-1] = true
			}
			rest = rest[1:]
			continue
		}
		end := strings.IndexAny(rest[1:], ".*") + 1
		if end == 0 {
			end = len(rest)
		}
		i, err := strconv.Atoi(rest[1:end])
		f := fieldAt(t, i)
		if err != nil || f == nil {
			return nil, nil
		}
		fields, through = append(fields, f), append(through, false)
		t, rest = f.Type(), rest[end:]
	}
	return fields, through
}

// indirect reports whether steps go through a pointer.
func indirect(steps string) bool { return strings.Contains(steps, "*") }

// fixed reports whether a path always refers to the same object, given that its root does. This is
// the case if no pointer field on the path is assigned to after its struct has been created.
func (p *Program) fixed(path Path) bool {
	if strings.HasPrefix(path.Steps, "*") {
		return false
	}
	fields, through := fieldsOf(path)
	for i, f := range fields {
		if through[i] && (f.Exported() || p.changed[f] || f.Pkg() != p.pass.Pkg) {
			return false
		}
	}
	return len(fields) > 0 || path.Steps == ""
}

// Settle simplifies a path through a pointer in a field of a struct that the function creates. If
// the source shows the target of this pointer, Settle returns a path to the same object that starts
// at the target. Otherwise, it returns the path unchanged.
func (p *Program) Settle(path Path) Path {
	made, ok := path.Root.(*ssa.Alloc)
	field, rest, through := strings.Cut(path.Steps, "*")
	if !ok || !through || strings.Count(field, ".") != 1 || !p.fixed(Path{path.Root, field + "*"}) && !onlyAccessed(made) {
		return path
	}
	only := assignedOnce(made, field)
	if only == nil {
		return path
	}
	if isStruct(only.Type()) { // a copy of a literal
		if copied, ok := only.(*ssa.UnOp); ok {
			if literal, ok := copied.X.(*ssa.Alloc); ok {
				return p.Settle(Path{literal, path.Steps})
			}
		}
		return path
	}
	outer := PathOf(only)
	return p.Settle(Path{outer.Root, outer.Steps + rest})
}

// assignedOnce returns the value that is assigned to a field of a variable, or to the whole
// variable, if there is exactly one such assignment. In SSA form, a struct literal is copied to its
// variable.
func assignedOnce(made *ssa.Alloc, field string) (only ssa.Value) {
	var all []ssa.Value
	for _, user := range *made.Referrers() {
		switch x := user.(type) {
		case *ssa.Store:
			all = append(all, x.Val)
		case *ssa.FieldAddr:
			if "."+strconv.Itoa(x.Field) != field {
				continue
			}
			for _, u := range *x.Referrers() {
				if store, ok := u.(*ssa.Store); ok && store.Addr == x {
					all = append(all, store.Val)
				}
			}
		}
	}
	if len(all) != 1 {
		return nil
	}
	return all[0]
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// endingsOf returns the objects that a function resets or gives to a pool on every path.
func (p *Program) endingsOf(fn *ssa.Function) []ending {
	fn = body(fn)
	if all, known := p.endings[fn]; known || p.working[fn] {
		return all
	}
	if len(fn.Blocks) == 0 {
		p.endings[fn] = p.imported(fn)
		return p.endings[fn]
	}
	p.working[fn] = true
	all := p.computeEndings(fn)
	p.working[fn] = false
	p.endings[fn] = all
	return all
}

// Ends reports whether a function contains a call, possibly deferred, that ends an object for which
// match returns true.
func (p *Program) Ends(fn *ssa.Function, match func(Ended) bool) bool {
	for _, block := range fn.Blocks {
		for _, instr := range block.Instrs {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			for _, e := range p.endedBy(instr, call.Common()) {
				if match(e) {
					return true
				}
			}
		}
	}
	return false
}

// Reused reports whether v is a slice that was loaded from a field whose memory is reused. This is
// the case if the package truncates the field to length zero somewhere.
func (p *Program) Reused(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	field, ok := load.X.(*ssa.FieldAddr)
	return ok && p.reused[fieldAt(field.X.Type(), field.Field)]
}
