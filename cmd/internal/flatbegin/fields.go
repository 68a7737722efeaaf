package flatbegin

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"

	"golang.org/x/tools/go/packages"
)

// gettersOf finds getters: exported methods without parameters that only return a field of their
// receiver. The result maps each field to its getter.
func gettersOf(loaded map[string]*packages.Package) map[*types.Var]*types.Func {
	all := map[*types.Var]*types.Func{}
	for _, pkg := range loaded {
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if v, f := getter(pkg, d); v != nil && (all[v] == nil || f.Name() < all[v].Name()) {
					all[v] = f
				}
			}
		}
	}
	return all
}

// getter returns the getter that d declares, and the field that the getter returns. It returns nil
// if d does not declare a getter.
func getter(pkg *packages.Package, d ast.Decl) (*types.Var, *types.Func) {
	fn, ok := d.(*ast.FuncDecl)
	if !ok || fn.Recv == nil || fn.Body == nil || len(fn.Body.List) != 1 || len(fn.Recv.List[0].Names) != 1 || !fn.Name.IsExported() || fn.Type.Params.NumFields() > 0 {
		return nil, nil
	}
	ret, ok := fn.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return nil, nil
	}
	sel, ok := ret.Results[0].(*ast.SelectorExpr)
	if !ok {
		return nil, nil
	}
	from, ok := sel.X.(*ast.Ident)
	if !ok || pkg.TypesInfo.Uses[from] == nil || pkg.TypesInfo.Uses[from] != pkg.TypesInfo.Defs[fn.Recv.List[0].Names[0]] {
		return nil, nil
	}
	v, ok := pkg.TypesInfo.Uses[sel.Sel].(*types.Var)
	f, isFunc := pkg.TypesInfo.Defs[fn.Name].(*types.Func)
	if !ok || !isFunc || !types.Identical(f.Signature().Results().At(0).Type(), v.Type()) {
		return nil, nil
	}
	return v, f
}

// path returns the selector with which other packages can read the field v of a struct, whose type
// is passed in of. It returns "" if other packages cannot read the field.
func (p *plan) path(of types.Type, v *types.Var) string {
	reached := func(object types.Object) bool {
		found, _, _ := types.LookupFieldOrMethod(types.NewPointer(of), true, object.Pkg(), object.Name())
		return found == object
	}
	if v.Exported() && reached(v) {
		return "." + v.Name()
	}
	if f := p.getters[v]; f != nil && reached(f) {
		return "." + f.Name() + "()"
	}
	return ""
}

// readFields reads the fields of a struct.
func (p *plan) readFields(r *record) {
	names := map[string]bool{"AsAny": true, "IsNil": true, "String": true}
	for _, u := range r.sums {
		names["As"+u.name] = true
	}
	p.fieldsOf(r, r.object.Type().Underlying().(*types.Struct), names)
}

// fieldsOf reads the fields of t, which is the struct of the record or a struct that is embedded in
// it.
func (p *plan) fieldsOf(r *record, t *types.Struct, names map[string]bool) {
	first, dropped := p.siblings(r, t)
	for v := range t.Fields() {
		full := r.object.Name() + "." + v.Name()
		if v.Name() == "_" {
			continue
		}
		asked := p.asked[full]
		delete(p.asked, full)
		if inner, ok := v.Type().Underlying().(*types.Struct); ok && v.Embedded() && asked == "" {
			p.fieldsOf(r, inner, names)
			continue
		}
		f := &field{of: r, name: upper(v.Name()), path: p.path(r.object.Type(), v), full: full, object: v}
		switch {
		case asked == "leave":
			p.leave(full, "-leave names it")
			continue
		case f.path == "":
			p.leave(full, "it is not exported, and no method only returns it")
			continue
		case dropped[v]:
			p.leave(full, "it is in the list Children of %s", r.name)
			continue
		case first != nil && first.object == v && asked == "":
			f.name, f.next = "Children", first.next
		}
		for names[f.name] {
			f.name += "Field"
		}
		if !token.IsExported(f.name) {
			p.leave(full, "the schema cannot have a field %s", f.name)
			continue
		}
		names[f.name] = true
		if f.next == "" && (asked == "link" || back.MatchString(v.Name()) && leads(v.Type())) {
			f.link = true
			r.fields = append(r.fields, f)
			p.pending = append(p.pending, f)
			continue
		}
		p.addContained(f)
	}
}

// addContained adds a field that is not a link: its values are children or part of the record.
func (p *plan) addContained(f *field) {
	t := f.object.Type()
	if f.next != "" {
		t = types.NewSlice(t)
	}
	s, why := p.shape(t, f)
	if why != "" {
		p.leave(f.full, "%s", why)
		return
	}
	f.shape, f.intern = s, isName(f, s.text())
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		f.bits = p.bits[f.full]
		delete(p.bits, f.full)
	}
	if s.refersToStructs() {
		f.id = p.holder(f)
	}
	f.of.fields = append(f.of.fields, f)
}

// holder adds a field whose values are structs of the module to p.holders, and returns the index of
// the field there.
func (p *plan) holder(f *field) int {
	p.holders = append(p.holders, f.full)
	return len(p.holders) - 1
}

// leads reports whether a value of type t may refer to another value of the tree. This is the case
// if t is a pointer to a struct, or an interface.
func leads(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if ok {
		_, ok = p.Elem().Underlying().(*types.Struct)
	}
	return ok || types.IsInterface(t)
}

// These patterns match the usual names of fields that form a list of siblings.
var (
	firstName = regexp.MustCompile(`^(?i:first(child|kid)?)$`)
	nextName  = regexp.MustCompile(`^(?i:next(sibling)?)$`)
	otherName = regexp.MustCompile(`^(?i:(last(child|kid)?)|(prev(ious)?(sibling)?))$`)
)

// siblings finds the fields of a struct that form a linked list of its children. One field, first,
// points to the first child; another field points from each child to the next one. dropped contains
// the other fields that the list makes redundant.
func (p *plan) siblings(r *record, t *types.Struct) (first *field, dropped map[*types.Var]bool) {
	var head, next *types.Var
	dropped = map[*types.Var]bool{}
	for v := range t.Fields() {
		switch {
		case p.asked[r.object.Name()+"."+v.Name()] != "":
		case firstName.MatchString(v.Name()):
			head = v
		case nextName.MatchString(v.Name()):
			next = v
		}
	}
	if head == nil || next == nil || !leads(head.Type()) || !types.Identical(head.Type(), next.Type()) {
		return nil, nil
	}
	path := p.path(r.object.Type(), next)
	if p.path(r.object.Type(), head) == "" || path == "" || !p.itself(r, head.Type(), path) {
		return nil, nil
	}
	for v := range t.Fields() {
		if v == next || otherName.MatchString(v.Name()) && types.Identical(v.Type(), head.Type()) {
			dropped[v] = true
		}
	}
	return &field{object: head, next: path}, dropped
}

// itself reports whether path is a selector that leads from a value of type t to another value of
// type t, such as its sibling. This is the case if t is a pointer to the record, or an interface
// with a method that path calls and that returns t.
func (p *plan) itself(r *record, t types.Type, path string) bool {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		return types.Identical(pointer.Elem(), r.object.Type())
	}
	if path[len(path)-1] != ')' {
		return false
	}
	found, _, _ := types.LookupFieldOrMethod(t, false, nil, path[1:len(path)-2])
	f, ok := found.(*types.Func)
	return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 1 && types.Identical(f.Signature().Results().At(0).Type(), t)
}

// resolveLinks sets the shapes of links. It leaves out links whose targets are not in the tree.
func (p *plan) resolveLinks() {
	for _, f := range p.pending {
		s, why := p.linked(f)
		if why == "" {
			f.shape = s
			if f.link {
				f.of.links++
			}
			continue
		}
		p.leave(f.full, "%s", why)
		f.of.fields = slices.DeleteFunc(f.of.fields, func(other *field) bool { return other == f })
	}
	p.pending = nil
}

// linked returns the shape of a link, or the reason why the field cannot be a link.
func (p *plan) linked(f *field) (*shape, string) {
	t := f.object.Type()
	switch u := t.Underlying().(type) {
	case *types.Slice:
		s, why := p.target(u.Elem())
		return &shape{kind: list, typ: t, elem: s}, why
	case *types.Array:
		s, why := p.target(u.Elem())
		return &shape{kind: array, typ: t, elem: s, len: u.Len()}, why
	case *types.Map:
		return p.linkedMap(f, u)
	}
	return p.target(t)
}

// linkedMap returns the shape of a map whose values are links, or the reason why the map has no
// shape. The entries of the map are nodes, so that their links can be set.
func (p *plan) linkedMap(f *field, m *types.Map) (*shape, string) {
	key := p.mapKey(m)
	if key == nil {
		return nil, noKey
	}
	value := &field{name: "Value", full: f.full, link: true}
	var why string
	if slice, ok := m.Elem().Underlying().(*types.Slice); ok {
		var elem *shape
		elem, why = p.target(slice.Elem())
		value.shape = &shape{kind: list, typ: m.Elem(), elem: elem}
	} else {
		value.shape, why = p.target(m.Elem())
	}
	if why != "" {
		return nil, why
	}
	f.link = false // the field holds the map entries; the values of the entries are links
	entry := p.entry(f, key, value)
	entry.links, entry.seen = 1, true
	return &shape{kind: table, typ: f.object.Type(), of: entry}, ""
}

// target returns the shape of a link's target, or the reason why a link cannot point to the type.
func (p *plan) target(t types.Type) (*shape, string) {
	if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
		if object, _ := p.own(pointer.Elem()); object != nil {
			if r := p.recordOf(object); r != nil {
				r.seen = true
				return &shape{kind: pointing, typ: t, of: r}, ""
			}
		}
		return nil, "it points to " + p.short(pointer.Elem()) + ", but no other field of the tree holds one; -share keeps values with several parents"
	}
	if object, _ := p.own(t); object != nil {
		if u := p.knownSum(object); u != nil {
			return &shape{kind: union, typ: t, sum: u}, ""
		}
	}
	return nil, "a link must be a pointer to a struct, or an interface that the tree holds; this is " + p.short(t)
}
