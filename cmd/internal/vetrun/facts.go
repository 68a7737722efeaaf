package vetrun

import (
	"go/types"
	"reflect"
	"slices"
	"sync"

	"golang.org/x/tools/go/analysis"
)

// A factBase contains the facts that analyzers have exported about packages. The analyzers use them
// in the packages that import these packages. Each type of facts belongs to one analyzer, so the
// type identifies the analyzer.
type factBase struct {
	mutex sync.Mutex
	known map[*types.Package]map[factKey]analysis.Fact
}

// A factKey identifies a fact by its object and its type. The object is nil if the fact describes
// the package.
type factKey struct {
	object types.Object
	kind   reflect.Type
}

func (b *factBase) set(of *types.Package, object types.Object, fact analysis.Fact) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.known == nil {
		b.known = map[*types.Package]map[factKey]analysis.Fact{}
	}
	if b.known[of] == nil {
		b.known[of] = map[factKey]analysis.Fact{}
	}
	b.known[of][factKey{object, reflect.TypeOf(fact)}] = fact
}

// get copies a fact to *fact, and reports whether there is one.
func (b *factBase) get(of *types.Package, object types.Object, fact analysis.Fact) bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	known, ok := b.known[of][factKey{object, reflect.TypeOf(fact)}]
	if ok {
		reflect.ValueOf(fact).Elem().Set(reflect.ValueOf(known).Elem())
	}
	return ok
}

// each calls f for all facts of the given types about a package and its imports.
func (b *factBase) each(p *types.Package, kinds []analysis.Fact, f func(*types.Package, types.Object, analysis.Fact)) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	seen := map[*types.Package]bool{}
	var visit func(*types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for key, fact := range b.known[p] {
			if slices.ContainsFunc(kinds, func(k analysis.Fact) bool { return reflect.TypeOf(k) == key.kind }) {
				f(p, key.object, fact)
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	visit(p)
}

func (b *factBase) ofObjects(p *types.Package, kinds []analysis.Fact) (all []analysis.ObjectFact) {
	b.each(p, kinds, func(_ *types.Package, o types.Object, f analysis.Fact) {
		if o != nil {
			all = append(all, analysis.ObjectFact{Object: o, Fact: f})
		}
	})
	return all
}

func (b *factBase) ofPackages(p *types.Package, kinds []analysis.Fact) (all []analysis.PackageFact) {
	b.each(p, kinds, func(of *types.Package, o types.Object, f analysis.Fact) {
		if o == nil {
			all = append(all, analysis.PackageFact{Package: of, Fact: f})
		}
	})
	return all
}
