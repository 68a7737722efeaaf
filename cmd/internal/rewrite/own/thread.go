package own

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// place returns the expression for the owner at a site, or the reason why there is none. If the
// function that contains the site has no access to an owner, place adds the owner as a parameter.
func (p *pass) place(s rewrite.Site, o *owner) (where, why string) {
	where, why = p.reach(s, o)
	if why == o.NotAtHand() && !s.InClosure() {
		return p.thread(s, o)
	}
	return where, why
}

// thread adds the owner as the first parameter to the function that contains a site, and as an
// argument to the calls of this function. It returns the name of the parameter, or the reason why
// this is not possible.
func (p *pass) thread(s rewrite.Site, o *owner) (name, why string) {
	decl := s.Function()
	if done, ok := p.threads[decl]; ok {
		return done.name, done.why
	}
	name, why = p.makeThread(decl, o)
	p.threads[decl] = thread{name, why}
	return name, why
}

func (p *pass) makeThread(decl *ast.FuncDecl, o *owner) (name, why string) {
	if why := p.callers.refuseThread(decl); why != "" {
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
	for _, call := range p.callers.callsOf(decl) {
		n := call.Node.(*ast.CallExpr)
		if len(n.Args) == 1 {
			if _, several := p.TypesInfo.TypeOf(n.Args[0]).(*types.Tuple); several {
				return "", "the call in " + p.callers.at(n) + " passes on several results"
			}
		}
		here, why := name, ""
		if fn := call.Function(); fn != nil && rewrite.NoSplit(call.Stack[0].(*ast.File), fn) {
			why = rewrite.NoRoom
		} else if call.InGoroutine() || call.InClosure() && call.Function() == decl {
			why = "the call in " + p.callers.at(n) + " is in a goroutine or a closure"
		} else if call.Function() != decl {
			here, why = p.reach(call, o)
		}
		if why != "" {
			if call.Function() == nil || why == o.NotAtHand() {
				why = p.callers.withoutOwner(decl, call)
			}
			return "", why
		}
		all = append(all, edit{n.Lparen + 1, here + comma(len(n.Args))})
	}
	for _, e := range all {
		p.edits.InsertOnce(p.Fset, e.at, e.text)
	}
	p.edits.InsertOnce(p.Fset, decl.Type.Params.Opening+1, name+" *"+o.Name+comma(len(decl.Type.Params.List)))
	p.result.NewParameters = append(p.result.NewParameters, fmt.Sprintf("%s(%s *%s)", decl.Name.Name, name, o.Name))
	return name, ""
}

// parameterName returns the name that most methods use for the owner or, if the function uses that
// name, a different name.
func (p *pass) parameterName(decl *ast.FuncDecl, o *owner) string {
	used := map[string]bool{o.Name: true}
	ast.Inspect(decl, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			used[name.Name] = true
		}
		return true
	})
	count := map[string]int{}
	best := ""
	for fn, other := range p.callers.decls {
		if receiver := fn.Signature().Recv(); other.Recv != nil && pointsTo(receiver.Type(), o.Object) && receiver.Name() != "_" && receiver.Name() != "" {
			name := receiver.Name()
			if count[name]++; best == "" || count[name] > count[best] || count[name] == count[best] && name < best {
				best = name
			}
		}
	}
	for _, name := range []string{best, lowerFirst(o.Name), "owner"} {
		if name != "" && !used[name] && !token.IsKeyword(name) {
			return name
		}
	}
	return ""
}
