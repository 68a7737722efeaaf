package flow_test

import (
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/vet/internal/flow"
)

// neutral lists the exported methods that neither return values nor end their lifetimes.
var neutral = strings.Fields(`
	store.Store.All store.Store.Cap store.Store.Clone store.Store.Len store.Store.Max store.Store.Trim store.Store.Writer
	store.Handles.All store.Handles.Cap store.Handles.Len store.Handles.Max store.Writer.Close
	slab.Slab.Cap slab.Slab.Grow slab.Slab.Join slab.Slab.Len slab.Slab.Mark slab.Slab.Release slab.Slab.Stats
	arena.Arena.Mark arena.Arena.Of arena.Arena.Release arena.Arena.Stats arena.Arena.Export arena.Arena.Size
	arena.Pool.Get arena.Pool.Put arena.Interner.Len arena.Interner.Reset
	arena.Builder.Grow arena.Builder.Len arena.Builder.Reset
	arena.Builder.Write arena.Builder.WriteByte arena.Builder.WriteRune arena.Builder.WriteString`)

// TestEffectsExist verifies that each exported call of the library is either in flow.Effects or in
// neutral, and that neither contains anything else. So the author of a new method must decide what
// it means for the rules.
func TestEffectsExist(t *testing.T) {
	const module = "github.com/coppice-go/coppice/"
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadTypes}, module+"store", module+"slab", module+"arena")
	if err != nil || packages.PrintErrors(loaded) > 0 {
		t.Fatalf("loading: %v", err)
	}
	found := map[string]*types.Signature{}
	for _, p := range loaded {
		for _, name := range p.Types.Scope().Names() {
			switch obj := p.Types.Scope().Lookup(name).(type) {
			case *types.TypeName:
				named, ok := obj.Type().(*types.Named)
				if !ok || flow.TypeName(named) == "" {
					continue
				}
				for m := range named.Methods() {
					if m.Exported() {
						found[flow.TypeName(named)+"."+m.Name()] = m.Signature()
					}
				}
			case *types.Func:
				s := obj.Signature()
				if obj.Exported() && s.Params().Len() > 0 && flow.TypeName(s.Params().At(0).Type()) == "arena.Arena" {
					found["arena.Arena."+name] = s
				}
			}
		}
	}
	for key, signature := range found {
		effect, ok := flow.Effects[key]
		if ok == slices.Contains(neutral, key) {
			t.Errorf("%s must be either in flow.Effects or neutral", key)
		}
		if len(effect.Gives) > 0 && len(effect.Gives) != signature.Results().Len() {
			t.Errorf("%s has %d results, and flow.Effects says %d", key, signature.Results().Len(), len(effect.Gives))
		}
	}
	for key := range flow.Effects {
		if found[key] == nil {
			t.Errorf("flow.Effects has %s, and the library has not", key)
		}
	}
}
