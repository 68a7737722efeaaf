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

// inFlight bounds the bytes of source that are processed concurrently. Syntax, types and SSA form
// occupy about fifty times as many bytes as the source. So a large package is processed alone, and
// small ones keep all processors busy.
const inFlight = 1 << 20

// A unit is one package of the import graph, with the results that its importers need.
type unit struct {
	*packages.Package      // from the go command, without syntax and types
	root              bool // whether the findings of the package are reported
	imports           map[string]*unit
	done              chan struct{} // closed when the fields below are set
	declared          *types.Package
	trouble           *Trouble // nil if the package could be analyzed
	findings          []Finding
}

// A graph contains the packages of one run and all their imports.
type graph struct {
	files     *token.FileSet
	analyzers []*analysis.Analyzer // analyzers that run on the roots
	factual   []*analysis.Analyzer // analyzers that export facts, including required ones
	facts     factBase
	units     []*unit
	byID      map[string]*unit
}

// newGraph returns a graph with units for the packages and all their imports. Every unit comes
// after its imports.
func newGraph(roots []*packages.Package, analyzers []*analysis.Analyzer) *graph {
	g := &graph{files: token.NewFileSet(), analyzers: analyzers, factual: factual(analyzers), byID: map[string]*unit{}}
	packages.Visit(roots, nil, func(p *packages.Package) {
		u := &unit{Package: p, imports: make(map[string]*unit, len(p.Imports)), done: make(chan struct{})}
		for path, imported := range p.Imports {
			if known := g.byID[imported.ID]; known != nil { // nil in an import cycle, which the go command lists as an error
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

// run processes all units concurrently, each after its imports.
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

// size returns the share of inFlight that a unit uses. This is the size of its source, but at least
// one processor's share and at most all of inFlight.
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
