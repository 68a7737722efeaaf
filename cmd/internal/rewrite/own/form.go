package own

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/rewrite"
)

// If values come from an arena instead of slabs, the struct gets a field for the arena, and a
// function that creates the struct gets a second variant that accepts an arena. A nil arena stands
// for the Go heap, so callers of the original function see no difference.

// GiveArena generates the edits for a second variant of a function, in which the values of the
// result come from an arena. The function must create a struct of the package, and must not be a
// method. All values that this struct allocates come from the arena, except for those that cannot
// be changed safely.
func GiveArena(pkg *packages.Package, module Reach, w Wish) (Given, error) {
	if err := rewrite.Compiles(pkg); err != nil {
		return Given{}, err
	}
	if err := rewrite.NoCgo(pkg); err != nil {
		return Given{}, err
	}
	p := newPass(pkg, module)
	p.library = true
	decl, err := p.declared(w.Function)
	if err != nil {
		return Given{}, err
	}
	if p.arena, err = p.arenaOf(decl); err != nil {
		return Given{}, err
	}
	p.arena.Wish = w
	p.chooseAll()
	p.Variables(p.noteTypes)
	p.Sites(p.visit)
	p.Variables(p.visit)
	if len(p.result.Done) == 0 {
		return Given{}, p.nothing()
	}
	if err := p.wireArena(); err != nil {
		return Given{}, err
	}
	p.result.Edits = p.edits
	p.result.Function, p.result.Owner = p.TypesInfo.Defs[decl.Name].(*types.Func), p.arena.owner.Object
	return p.result, nil
}

// mostReasons is the maximum number of reasons that an error lists.
const mostReasons = 3

// nothing returns the error for the case that none of an owner's values can come from an arena. The
// error lists the most frequent reasons, each with the first site to which it applies.
func (p *pass) nothing() error {
	sites := map[string][]token.Pos{} // sites for each reason
	for n, why := range p.result.Left {
		sites[why] = append(sites[why], n.Pos())
	}
	reasons := slices.SortedFunc(maps.Keys(sites), func(a, b string) int {
		return cmp.Or(len(sites[b])-len(sites[a]), int(slices.Min(sites[a])-slices.Min(sites[b])))
	})
	text := p.arena.owner.Name + " makes nothing that could come from an arena"
	for _, why := range reasons[:min(mostReasons, len(reasons))] {
		first := p.at(slices.Min(sites[why]))
		text += fmt.Sprintf("; %s:%d: %s", filepath.Base(first.Filename), first.Line, why)
		if more := len(sites[why]) - 1; more > 0 {
			text += fmt.Sprintf(" (and %d more)", more)
		}
	}
	return errors.New(text)
}

// declared returns the declaration of a function or a method.
func (p *pass) declared(function string) (*ast.FuncDecl, error) {
	typ, name, method := strings.Cut(function, ".")
	if !method {
		typ, name = "", function
	}
	for fn, decl := range p.callers.decls {
		recv := fn.Signature().Recv()
		if fn.Name() != name || method != (recv != nil) {
			continue
		}
		if method {
			t := recv.Type()
			if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
				t = pointer.Elem()
			}
			if n, ok := types.Unalias(t).(*types.Named); !ok || n.Obj().Name() != typ {
				continue
			}
		}
		return decl, nil
	}
	return nil, fmt.Errorf("%s has no function %s", p.PkgPath, function)
}

// arenaOf finds the struct that a function creates and through which most of the package's values
// can come from an arena. It returns an error if the function is a method.
func (p *pass) arenaOf(decl *ast.FuncDecl) (*arenaForm, error) {
	name := decl.Name.Name
	switch fn := p.TypesInfo.Defs[decl.Name].(*types.Func); {
	case decl.Body == nil:
		return nil, fmt.Errorf("%s has no body in Go", name)
	case rewrite.Generic(fn):
		return nil, fmt.Errorf("%s is generic", name)
	}
	if decl.Recv != nil {
		return nil, fmt.Errorf("%s is a method; name a function that makes its receiver", name)
	}
	if p.recovers(decl) {
		return nil, fmt.Errorf("%s calls recover, which would look for a panic of its own caller", name)
	}
	parameter, why := arenaParameter(decl)
	if why != "" {
		return nil, errors.New(why)
	}
	var best *arenaForm
	most, mostRefused := 0, -1 // numbers of sites
	for _, t := range p.madeIn(decl) {
		o, err := p.ownerOf(t)
		sites := 0
		if err == nil {
			sites = p.countSites(o)
			err = p.dies(o, decl)
			if why := p.module.Visible(p.PkgPath, o.Name); err == nil && why != "" {
				err = errors.New(why)
			}
		}
		switch {
		case err != nil && sites > mostRefused:
			why, mostRefused = fmt.Sprintf("%s cannot have an arena: %v", t, err), sites
		case err == nil && sites > most:
			best, most = &arenaForm{decl: decl, owner: o, field: p.arenaField(o), name: name + "In", parameter: parameter}, sites
		}
	}
	switch {
	case best == nil && why == "":
		why = fmt.Sprintf("%s makes no struct of its package by which its values could come from an arena", name)
		if maker := p.makerIn(decl); maker != "" {
			why += "; " + maker + ", which it calls, makes one: name that"
		}
		fallthrough
	case best == nil:
		return nil, errors.New(why)
	case p.module.Declared(best.name):
		return nil, fmt.Errorf("the package already has a %s", best.name)
	}
	return best, nil
}

// makerIn returns the name of a function of the package that the given function calls and that
// itself creates a struct. It returns "" if there is none.
func (p *pass) makerIn(decl *ast.FuncDecl) (name string) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || name != "" || calleeName(call) == nil {
			return name == ""
		}
		fn, ok := p.TypesInfo.Uses[calleeName(call)].(*types.Func)
		if callee := p.callers.decls[fn]; ok && callee != nil && callee.Recv == nil && callee.Body != nil && len(p.madeIn(callee)) > 0 {
			name = fn.Name()
		}
		return true
	})
	return name
}

// dies returns an error if an owner may outlive the call to the function that created it, because
// the values of several results would then come from one arena.
func (p *pass) dies(o *owner, decl *ast.FuncDecl) error {
	if p.pooled(o) {
		return errors.New("a pool keeps it")
	}
	for v := range p.TypesInfo.Defs[decl.Name].(*types.Func).Signature().Results().Variables() {
		if reaches(v.Type(), o.Object, nil) {
			return errors.New("it goes with the result")
		}
	}
	alone := true
	ast.PreorderStack(decl.Body, nil, func(n ast.Node, above []ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !types.Identical(p.TypesInfo.TypeOf(lit), o.Object) {
			return true
		}
		for _, n := range slices.Backward(above) {
			switch n := n.(type) {
			case *ast.ParenExpr, *ast.UnaryExpr:
				continue
			case *ast.AssignStmt:
				alone = alone && n.Tok == token.DEFINE
			case *ast.ValueSpec, *ast.SelectorExpr, *ast.CallExpr:
			default:
				alone = false
			}
			break
		}
		return true
	})
	if !alone {
		return errors.New("something may keep it for later calls")
	}
	return nil
}

// recovers reports whether the body of a function calls recover.
func (p *pass) recovers(decl *ast.FuncDecl) (found bool) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && p.TypesInfo.Types[call.Fun].IsBuiltin() {
			name, ok := ast.Unparen(call.Fun).(*ast.Ident)
			found = found || ok && name.Name == "recover"
		}
		_, literal := n.(*ast.FuncLit)
		return !found && !literal
	})
	return found
}

// countSites returns the number of sites at which the code can use the owner.
func (p *pass) countSites(o *owner) (n int) {
	count := func(s rewrite.Site) {
		if s.Function() == nil {
			return
		}
		if _, why := p.reach(s, o); why == "" {
			n++
		}
	}
	p.Sites(count)
	p.Variables(count)
	return n
}

// chooseAll chooses all sites at which the code can use the owner.
func (p *pass) chooseAll() {
	ask := &Ask{Owner: p.arena.owner.Name, Instances: -1}
	choose := func(s rewrite.Site) {
		if s.Function() == nil || s.Kind == rewrite.Text {
			return
		}
		if _, why := p.reach(s, p.arena.owner); why == "" {
			if why := p.arena.Leave[p.placeOf(s.Node)]; why != "" {
				p.result.Left[s.Node] = why
				return
			}
			p.chosen[span{s.Node.Pos(), s.Node.End()}] = choice{ask, s.Node}
		}
	}
	p.Sites(choose)
	p.Variables(choose)
}
