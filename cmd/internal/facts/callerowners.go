package facts

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// mostAbove is the maximum number of calls between the function that has the owner and the
// allocation site.
const mostAbove = 4

// A distant is a possible owner in a function that calls the allocating function, directly or
// indirectly. calls is the number of calls in between.
type distant struct {
	site.Owner
	calls int
}

// callerOwners returns possible owners of an allocator for c. They are receivers or parameters of
// the direct or indirect callers of c's function, not of that function itself. A struct is included
// only if at least half of the calls in this package to c's function come from functions that have
// it. The structs in direct and the struct type that c allocates are excluded. The nearest structs
// come first.
func (u *unit) callerOwners(c *candidate, direct []site.Owner, sites []*site.Site) (all []site.Owner) {
	fn, _ := u.definition(c.function)
	if fn == nil {
		return nil
	}
	calls := u.usesOf(fn)
	count := map[string]int{}
	nearest := map[string]distant{}
	for _, by := range calls {
		for name, o := range u.reached(by, sites) {
			if count[name]++; count[name] == 1 || o.calls < nearest[name].calls {
				nearest[name] = o
			}
		}
	}
	for name, n := range count {
		other := func(d site.Owner) bool { return d.Type == name }
		if 2*n >= len(calls) && strings.TrimPrefix(name, "*") != u.typeName(c.typ) && !slices.ContainsFunc(direct, other) {
			all = append(all, nearest[name].Owner)
		}
	}
	slices.SortFunc(all, func(a, b site.Owner) int {
		return cmp.Or(nearest[a.Type].calls-nearest[b.Type].calls, count[b.Type]-count[a.Type], strings.Compare(a.Type, b.Type))
	})
	return all
}

// reached returns the possible owners among the receivers and parameters of f and of the functions
// that call f, directly or indirectly. The keys are the owners' type names.
func (u *unit) reached(f *function, sites []*site.Site) map[string]distant {
	if all, ok := u.reaches[f]; ok {
		return all
	}
	if u.reaches == nil {
		u.reaches = map[*function]map[string]distant{}
	}
	all := map[string]distant{}
	seen := map[*function]bool{f: true}
	level := []*function{f}
	for calls := 1; calls <= mostAbove && len(level) > 0; calls++ {
		var next []*function
		for _, f := range level {
			u.addOwners(f, calls, sites, all)
			fn, _ := u.definition(f)
			for _, by := range u.usesOf(fn) {
				if !seen[by] {
					seen[by] = true
					next = append(next, by)
				}
			}
		}
		level = next
	}
	u.reaches[f] = all
	return all
}

// addOwners adds the receiver and the parameters of f to all, except those that have objections or
// are not possible owners.
func (u *unit) addOwners(f *function, calls int, sites []*site.Site, all map[string]distant) {
	_, decl := u.definition(f)
	for _, list := range []*ast.FieldList{decl.Recv, decl.Type.Params} {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			t := u.ownerType(field.Type)
			if t == nil || len(field.Names) == 0 || field.Names[0].Name == "_" {
				continue
			}
			o := u.prepared(t, sites)
			o.Type, o.How = "*"+t.Name(), fmt.Sprintf("%s of %s", field.Names[0].Name, f.name)
			if _, ok := all[o.Type]; !ok && o.Lock == "" && o.Goroutine == "" && o.Copied == "" && o.Global == "" {
				all[o.Type] = distant{o, calls}
			}
		}
	}
}

// definition returns the type checker's object and the syntax tree of a function. Both are nil for
// the function that represents the package-level variables.
func (u *unit) definition(f *function) (*types.Func, *ast.FuncDecl) {
	if f.decl == nil {
		return nil, nil
	}
	fn, _ := u.TypesInfo.Defs[f.decl.Name].(*types.Func)
	return fn, f.decl
}

// usesOf returns the functions of the package that call fn or mention it. A function that does so
// several times occurs several times in the result. Functions in test files are ignored.
func (u *unit) usesOf(fn *types.Func) []*function {
	if u.uses == nil {
		u.uses = map[*types.Func][]*function{}
		for _, f := range u.functions {
			if f.decl == nil || InTest(u.Fset.Position(f.decl.Pos()).Filename) {
				continue
			}
			ast.Inspect(f.decl, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok {
					if used, ok := u.TypesInfo.Uses[name].(*types.Func); ok && used.Pkg() == u.Types {
						u.uses[used.Origin()] = append(u.uses[used.Origin()], f)
					}
				}
				return true
			})
		}
	}
	return u.uses[fn.Origin()]
}
