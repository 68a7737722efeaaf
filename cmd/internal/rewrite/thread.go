package rewrite

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/inspector"
	"golang.org/x/tools/go/packages"
)

// A thread is how a function without an owner gets one: as a parameter of that name.
type thread struct{ name, why string }

// AtHand returns the structs that all callers of a function could hand to it, by their names, or why the function cannot get
// another parameter.
func AtHand(pkg *packages.Package, decl *ast.FuncDecl, module Reach) (owners []string, why string) {
	p := &pass{Package: pkg, form: Own, owners: map[string]*owner{}}
	newOwnPass(p, nil, false, module)
	if why := p.refuseThread(decl); why != "" {
		return nil, why
	}
	first := true
	for _, call := range p.callsOf(decl) {
		if call.function() == decl {
			continue
		}
		here := p.pointers(call)
		if len(here) == 0 {
			return nil, p.withoutOwner(decl, call)
		}
		if first {
			owners = here
		}
		owners = slices.DeleteFunc(owners, func(name string) bool { return !slices.Contains(here, name) })
		first = false
	}
	if len(owners) == 0 {
		return nil, fmt.Sprintf("the callers of %s have no struct in common that could own a slab: %s", decl.Name.Name, p.placesOf(decl))
	}
	return owners, ""
}

// pointers returns the structs that the functions around a site have pointers to, as receivers and parameters.
func (p *pass) pointers(s site) (names []string) {
	for _, n := range s.stack {
		var lists []*ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			lists = []*ast.FieldList{n.Recv, n.Type.Params}
		case *ast.FuncLit:
			lists = []*ast.FieldList{n.Type.Params}
		}
		for _, list := range lists {
			if list == nil {
				continue
			}
			for _, field := range list.List {
				pointer, ok := types.Unalias(p.TypesInfo.TypeOf(field.Type)).(*types.Pointer)
				if !ok || len(field.Names) == 0 {
					continue
				}
				named, ok := types.Unalias(pointer.Elem()).(*types.Named)
				if !ok || named.Obj().Pkg() != p.Types || named.Obj().Parent() != p.Types.Scope() {
					continue
				}
				if _, ok := named.Underlying().(*types.Struct); ok {
					names = append(names, named.Obj().Name())
				}
			}
		}
	}
	return names
}

// refuseThread returns why a function cannot get another parameter, apart from its callers.
func (p *pass) refuseThread(decl *ast.FuncDecl) string {
	fn, ok := p.TypesInfo.Defs[decl.Name].(*types.Func)
	name := decl.Name.Name
	switch {
	case !ok || decl.Body == nil || name == "main" || name == "init":
		return name + " cannot get a parameter for the owner"
	case decl.Recv != nil:
		return name + " is a method without an owner, and an interface may have it"
	case fn.Exported():
		why := name + " is exported and has no owner, and others may call it"
		if places := p.placesOf(decl); places != "" {
			why += ", as does " + places
		}
		return why
	case p.own.values[fn]:
		return name + " is used as a value, and cannot get a parameter for the owner"
	case p.mentioned(name):
		return name + " may be called in a file that was not built: a test, or what is for another system"
	case len(p.own.calls[fn]) == 0:
		return "nothing calls " + name
	case generic(fn):
		return "in a generic function"
	}
	if where := p.own.module.Linked(p.PkgPath, name); where != "" {
		return name + " is called in a way that no parameter can follow, at " + where
	}
	for _, field := range decl.Type.Params.List {
		if len(field.Names) == 0 {
			return "the parameters of " + name + " have no names"
		}
	}
	return ""
}

// callsOf returns the calls of a function with what stands around them.
func (p *pass) callsOf(decl *ast.FuncDecl) (all []site) {
	fn := p.TypesInfo.Defs[decl.Name]
	inspector.New(p.Syntax).WithStack([]ast.Node{(*ast.CallExpr)(nil)}, func(n ast.Node, push bool, stack []ast.Node) bool {
		call := n.(*ast.CallExpr)
		if name := calleeName(call); push && name != nil && p.TypesInfo.Uses[name] == fn {
			all = append(all, site{node: call, stack: slices.Clone(stack)})
		}
		return true
	})
	return all
}

// placesOf are the places that call a function.
func (p *pass) placesOf(decl *ast.FuncDecl) string {
	const most = 3
	var places []string
	calls := p.callsOf(decl)
	for i, call := range calls {
		if i == most {
			places = append(places, fmt.Sprintf("%d more", len(calls)-most))
			break
		}
		places = append(places, p.at(call.node))
	}
	return strings.Join(places, ", ")
}

// at is the place of a node: parse.go:12.
func (p *pass) at(n ast.Node) string {
	at := p.Fset.PositionFor(n.Pos(), false)
	return fmt.Sprintf("%s:%d", baseName(at.Filename), at.Line)
}

func (p *pass) withoutOwner(decl *ast.FuncDecl, call site) string {
	return fmt.Sprintf("%s has no owner at hand, and neither has its caller in %s", decl.Name.Name, p.at(call.node))
}

// thread makes the function around a site take the owner as its first parameter, and its callers hand it in. It returns the
// parameter's name, or why that cannot be.
func (p *pass) thread(s site, o *owner) (name, why string) {
	decl := s.function()
	if done, ok := p.own.threads[decl]; ok {
		return done.name, done.why
	}
	name, why = p.makeThread(decl, o)
	p.own.threads[decl] = thread{name, why}
	return name, why
}

func (p *pass) makeThread(decl *ast.FuncDecl, o *owner) (name, why string) {
	if why := p.refuseThread(decl); why != "" {
		return "", why
	}
	if name = p.parameterName(decl, o); name == "" {
		return "", "the names for a parameter are taken"
	}
	type edit struct {
		at   token.Pos
		text string
	}
	var all []edit
	comma := func(n int) string {
		if n > 0 {
			return ", "
		}
		return ""
	}
	for _, call := range p.callsOf(decl) {
		n := call.node.(*ast.CallExpr)
		if len(n.Args) == 1 {
			if _, several := p.TypesInfo.TypeOf(n.Args[0]).(*types.Tuple); several {
				return "", "the call in " + p.at(n) + " hands on several results"
			}
		}
		here, why := name, ""
		if fn := call.function(); fn != nil && NoSplit(call.stack[0].(*ast.File), fn) {
			why = NoRoom
		} else if call.inGoroutine() || call.inClosure() && call.function() == decl {
			why = "the call in " + p.at(n) + " is in a goroutine or a closure"
		} else if call.function() != decl {
			here, why = p.placeOf(call, o)
		}
		if why != "" {
			if call.function() == nil || why == noOwner(o) {
				why = p.withoutOwner(decl, call)
			}
			return "", why
		}
		all = append(all, edit{n.Lparen + 1, here + comma(len(n.Args))})
	}
	for _, e := range all {
		p.edits.InsertOnce(p.Fset, e.at, e.text)
	}
	p.edits.InsertOnce(p.Fset, decl.Type.Params.Opening+1, name+" *"+o.name+comma(len(decl.Type.Params.List)))
	p.own.result.NewParameters = append(p.own.result.NewParameters, fmt.Sprintf("%s(%s *%s)", decl.Name.Name, name, o.name))
	return name, ""
}

// inClosure reports whether a site is in a function literal.
func (s site) inClosure() bool {
	return slices.ContainsFunc(s.stack, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}

// parameterName is the name that methods have for the owner, or another one that the function does not use.
func (p *pass) parameterName(decl *ast.FuncDecl, o *owner) string {
	used := map[string]bool{o.name: true}
	ast.Inspect(decl, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	count := map[string]int{}
	best := ""
	for fn, other := range p.own.decls {
		if receiver := fn.Signature().Recv(); other.Recv != nil && pointsTo(receiver.Type(), o.object) && receiver.Name() != "_" && receiver.Name() != "" {
			name := receiver.Name()
			if count[name]++; best == "" || count[name] > count[best] || count[name] == count[best] && name < best {
				best = name
			}
		}
	}
	for _, name := range []string{best, lowerFirst(o.name), "owner"} {
		if name != "" && !used[name] && !token.IsKeyword(name) {
			return name
		}
	}
	return ""
}
