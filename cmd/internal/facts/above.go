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

// mostAbove is the maximum number of calls between an owner and the site.
const mostAbove = 4

// A distant is an owner that a caller has, with the number of calls between the caller and the
// site.
type distant struct {
	site.Owner
	calls int
}

// above returns the structs that could own an allocator and that are a receiver or a parameter of a
// caller of the function around a candidate. The nearest come first. It returns only structs from
// which at least half of the calls in this package come. It omits the owners of the function itself
// and the structs that it creates.
func (u *unit) above(c *candidate, direct []site.Owner, sites []*site.Site) (all []site.Owner) {
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

// reached returns the owners that a function and its callers have as receivers or parameters.
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

// addOwners adds the owners that a function has as its receiver and parameters, except those with
// objections.
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

// definition returns the object and the declaration of a function. Both are nil for the function
// that stands for the package-level variables.
func (u *unit) definition(f *function) (*types.Func, *ast.FuncDecl) {
	if f.decl == nil {
		return nil, nil
	}
	fn, _ := u.TypesInfo.Defs[f.decl.Name].(*types.Func)
	return fn, f.decl
}

// usesOf returns the functions that use a function of the package, once for each use. Uses in tests
// are ignored.
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
