package vetrun

import (
	"context"
	"go/token"
	"go/types"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
)

// inFlight is how many bytes of source are worked on at once. Syntax, types and SSA form
// take some fifty times as much, so that a large package is alone, and small ones keep all
// processors busy.
const inFlight = 1 << 20

// A unit is one package of the import graph, and what the packages that import it need.
type unit struct {
	*packages.Package      // as the go command describes it, without syntax and types
	root              bool // its findings are wanted
	imports           map[string]*unit
	done              chan struct{} // closed when the fields below are set
	declared          *types.Package
	trouble           *Trouble // nil if all is well
	findings          []Finding
}

// A graph is the packages of one run, with all that they import.
type graph struct {
	files     *token.FileSet
	analyzers []*analysis.Analyzer // for roots
	factual   []*analysis.Analyzer // those of them, or that they need, that say something of imported packages
	facts     factBase
	units     []*unit
	byID      map[string]*unit
}

// newGraph prepares the packages and all that they import. Every unit comes after its imports.
func newGraph(roots []*packages.Package, analyzers []*analysis.Analyzer) *graph {
	g := &graph{files: token.NewFileSet(), analyzers: analyzers, factual: factual(analyzers), byID: map[string]*unit{}}
	packages.Visit(roots, nil, func(p *packages.Package) {
		u := &unit{Package: p, imports: make(map[string]*unit, len(p.Imports)), done: make(chan struct{})}
		for path, imported := range p.Imports {
			if known := g.byID[imported.ID]; known != nil { // nil in a cycle, which is an error in the list
				u.imports[path] = known
			}
		}
		g.units, g.byID[p.ID] = append(g.units, u), u
	})
	for _, p := range roots {
		g.byID[p.ID].root = true
	}
	return g
}

// run works on all units, each after its imports, several at once.
func (g *graph) run(ctx context.Context) error {
	room := semaphore.NewWeighted(inFlight)
	var all sync.WaitGroup
	for _, u := range g.units {
		all.Go(func() {
			defer close(u.done)
			for _, imported := range u.imports {
				<-imported.done
			}
			size := u.size()
			if room.Acquire(ctx, size) != nil {
				return
			}
			defer room.Release(size)
			u.work(g)
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// size is what a unit takes of the room that there is: its source, but not less than its
// share of the processors, nor more than there is.
func (u *unit) size() int64 {
	total := int64(inFlight / runtime.GOMAXPROCS(0))
	var sum int64
	for _, name := range u.CompiledGoFiles {
		if info, err := os.Stat(name); err == nil {
			sum += info.Size()
		}
	}
	return min(max(total, sum), inFlight)
}
