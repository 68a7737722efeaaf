package slab

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/types"
	"go/version"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/own"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A slabbing is the state of makeSlab while it makes one change.
type slabbing struct {
	*change.Request
	change *change.Change
	world  *change.World
	asks   []own.Ask
	sites  map[ast.Node][]*site.Site // sites by expression; the profile may have several places for one
	what   map[ast.Node]string
}

// makeSlab is the maker. It adds to the owner of values a slab for each of their types. The slab is
// a slab.Chunks, which has no Reset. A struct can be the owner only under three conditions. Only
// one goroutine at a time uses it, because a slab has no lock. It is not copied, because two copies
// would hand out the same slots. All values that it allocates belong to one result, because one
// live value keeps its whole chunk alive.
func makeSlab(r *change.Request) (*change.Change, error) {
	if version.Compare(r.Language, "go1.18") < 0 {
		return nil, change.Refusef("a slab is generic, which needs go1.18, but the module has %s", r.Language)
	}
	world, err := r.Around()
	if err != nil {
		return nil, err
	}
	m := &slabbing{Request: r, change: &change.Change{}, world: world, sites: map[ast.Node][]*site.Site{}, what: map[ast.Node]string{}}
	for _, s := range r.Sites {
		if why, err := m.ask(s); err != nil {
			return nil, err
		} else if why != "" {
			m.change.Leave(s, why)
		}
	}
	given, err := own.Give(r.Package, m.asks, r.Library, world)
	if err != nil {
		return nil, change.Refused{Why: err.Error()}
	}
	for _, a := range m.asks {
		for _, n := range a.Exprs {
			for _, s := range m.sites[n] {
				if where := given.Done[n]; where != "" {
					m.change.Did(s, m.what[n]+" comes from "+where)
				} else {
					m.change.Leave(s, given.Left[n])
				}
			}
		}
	}
	m.change.Edits = given.Edits
	m.describe(given)
	return m.change, nil
}

// ask adds a site to the request for its owner, or returns the reason that the site is left
// unchanged.
func (m *slabbing) ask(s *site.Site) (why string, err error) {
	f := s.Facts
	switch {
	case f.NoSource != "":
		return f.NoSource, nil
	case f.Test:
		return "it is in a test", nil
	case f.Directive:
		return cmp.Or(f.Stays, "the file is generated; change "+m.source(s)), nil
	case f.Generated:
		return change.Generated(s), nil
	case !remedy.Single(f.Kind) && f.Kind != site.MakeSlice:
		return fmt.Sprintf("a slab hands out single values and short lists, but this allocation is of another kind (%s)", f.Kind), nil
	}
	path, err := m.Expression(s)
	var not change.Refused
	if errors.As(err, &not) {
		return not.Why, nil
	} else if err != nil {
		return "", err
	}
	n := path[len(path)-1]
	if m.sites[n] = append(m.sites[n], s); len(m.sites[n]) > 1 {
		return "", nil
	}
	m.what[n] = short(f)
	owner, why := m.owner(s, path)
	if why != "" {
		delete(m.sites, n)
		return why, nil
	}
	name := strings.TrimPrefix(owner.Type, "*")
	i := slices.IndexFunc(m.asks, func(a own.Ask) bool { return a.Owner == name })
	if i < 0 {
		m.asks = append(m.asks, own.Ask{Owner: name, Instances: owner.Instances})
		i = len(m.asks) - 1
	}
	m.asks[i].Exprs = append(m.asks[i].Exprs, n)
	return "", nil
}

// source returns the base name of the source file that a //line directive gives for a site.
func (m *slabbing) source(s *site.Site) string {
	if path, err := m.Expression(s); err == nil {
		return filepath.Base(m.Package.Fset.Position(path[len(path)-1].Pos()).Filename)
	}
	return filepath.Base(s.File)
}

// short describes the expression of a site.
func short(f site.Facts) string {
	switch f.Kind {
	case site.Literal:
		return "&" + f.Type + "{...}"
	case site.New:
		return "new(" + f.Type + ")"
	case site.Moved:
		return "a variable of type " + f.Type
	}
	return "[]" + f.Type
}

// owner returns the struct that gets the slab, or the reason that there is none. If the function
// has no access to an owner but all of its callers have, they may pass their owner as a parameter.
func (m *slabbing) owner(s *site.Site, path []ast.Node) (o site.Owner, why string) {
	for _, o := range s.Facts.Owners {
		if strings.TrimPrefix(o.Type, "*") == strings.TrimPrefix(s.Facts.Type, "*") {
			continue
		}
		reason := m.small(s, o)
		if reason == "" {
			reason = o.Unfit()
		}
		if t := m.Package.Types.Scope().Lookup(strings.TrimPrefix(o.Type, "*")); reason == "" && t != nil {
			reason = own.Declared(m.Package, t, m.world)
		}
		if reason == "" {
			reason = m.world.Confined(m.Package.PkgPath, change.StructName(o))
		}
		if reason == "" {
			return o, ""
		}
		if why == "" {
			why = reason
		}
	}
	if why != "" {
		return o, why
	}
	i := slices.IndexFunc(path, func(n ast.Node) bool { _, ok := n.(*ast.FuncDecl); return ok })
	if i < 0 {
		return o, "it is outside a function, where values live as long as the program"
	}
	names, why := own.AtHand(m.Package, path[i].(*ast.FuncDecl), m.world)
	for _, name := range names {
		if name == s.Facts.Type {
			why = "a slab needs an owner that is rarer than the values, but the callers have only such a value"
			continue
		}
		o := facts.Against(m.Package, m.Package.Types.Scope().Lookup(name).(*types.TypeName))
		if i := slices.IndexFunc(s.Facts.Above, func(above site.Owner) bool { return above.Type == o.Type }); i >= 0 {
			above := &s.Facts.Above[i]
			o.Instances, o.Begun, o.SetUp = above.Instances, above.Begun, above.SetUp
		}
		if why = m.small(s, o); why == "" {
			why = o.Unfit()
		}
		if why == "" {
			why = m.world.Confined(m.Package.PkgPath, name)
		}
		if why == "" {
			return o, ""
		}
	}
	return o, why
}

// small returns a reason if there are many owners and each of them allocates too few values of a
// site's type. It returns "" if each owner allocates enough values, or if the owners were not
// counted.
func (m *slabbing) small(s *site.Site, o site.Owner) string {
	made := 0.0
	for _, other := range m.Sites {
		if other.Facts.Type == s.Facts.Type {
			made += other.Objects
		}
	}
	many := o.Sharing()
	if many <= 1 || made/many >= remedy.Rare {
		return ""
	}
	return fmt.Sprintf("there are %s %s, and each makes %s %s: a slab pays from %d", remedy.Number(many), strings.TrimPrefix(o.Type, "*"), remedy.Number(made/many), remedy.Bare(s.Facts.Type), remedy.Rare)
}

// describe writes the description of the change for a maintainer.
func (m *slabbing) describe(given own.Given) {
	var owners []string
	for _, a := range m.asks {
		if slices.ContainsFunc(a.Exprs, func(n ast.Node) bool { return given.Done[n] != "" }) {
			owners = append(owners, a.Owner)
		}
	}
	list := strings.Join(owners, ", ")
	source := "slab.Chunks of github.com/coppice-go/coppice, which the module requires already"
	undo := fmt.Sprintf("Replace %s(T{...}) with &T{...}, New() with new(T), Make(n) with make([]T, n) and %s(...) with []T{...}, and remove the fields of %s", given.Alloc, given.SliceOf, list)
	switch {
	case m.Library:
	case given.Inside != "":
		source = "the type " + given.Inside + " in " + given.File + ", which uses only the standard library"
		undo += ", and the type " + given.Inside + " with its methods and imports in " + given.File
	default:
		source = "the type in " + given.File + ", which uses only the standard library"
		undo += " and " + given.File
	}
	m.change.About = "Values that " + list + " allocated one by one now come from chunks, several at a time from the Go heap, by " + source + ".\n" +
		"They are ordinary pointers and the collector frees them. There is no Reset and no unsafe, so nothing can be used after it was freed.\n" +
		"The order of evaluation does not change: " + given.Alloc + " gets the finished value, and the variable that leads to the slab is not assigned to."
	if len(given.NewParameters) > 0 {
		m.change.About += "\nThese functions get it as a parameter: " + strings.Join(given.NewParameters, ", ") + "."
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(given.Done)), isVariable) {
		m.change.About += "\nVariables whose address is returned are pointers now, and what reads them follows these. No call that might change one is beside such a read."
		undo += ". Declare variables as before, with & where their address is wanted"
	}
	m.change.Undo = undo + "."
	m.change.Price = []string{
		"assumed of other modules: none inspects unexported fields by reflection, sets finalizers, cleanups or weak pointers on the values or on what it puts into them, or makes options for an owner by generic functions",
	}
	if given.Parts {
		m.change.Price = append(m.change.Price, "assumed of other modules: none finds by the address of a field what lies beside it")
	}
}

// isVariable reports whether a node is the name of a variable, rather than an expression that
// allocates.
func isVariable(n ast.Node) bool {
	_, ok := n.(*ast.Ident)
	return ok
}
