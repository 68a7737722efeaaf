// Package attempt makes the change of a proposal in memory. coppice fix proves the result, and
// coppice find reports which sites fix would change. Both use this package, so that find never
// reports a change of a site that fix would leave unchanged.
package attempt

import (
	"context"
	"fmt"
	"go/token"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/rewrite"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Module is the module that the proposals of a report would change. It caches the packages that
// it has loaded, so the first proposal of a package takes the most time.
type Module struct {
	Dir  string            // the user's folder
	Main string            // pattern of the main package that has sites
	Show func(what string) // called before steps that take time

	// Generated runs the generators of generated files. If it is nil, such files are left
	// unchanged.
	Generated Generated

	loaded map[string]*packages.Package // packages by pattern
	worlds map[string]*change.World     // worlds by the path of the changed package
}

// Generated gives access to the sources of generated files.
type Generated interface {
	// Opened returns the sites as makers see them. If a generator copies a site's code from a
	// grammar, the site is treated as if its file were not generated.
	Opened(ctx context.Context, sites []*site.Site) ([]*site.Site, error)
	// At returns a function that checks an edit of an expression in a generated file. The function
	// returns "" if the generator reproduces the file with the edit, and otherwise the reason that
	// the expression is left unchanged.
	At(ctx context.Context) func(from, to token.Position) (why string)
}

// Request returns the input of makers for the sites of a proposal, which are all in one package. It
// returns a Refused error if they cannot be changed.
func (m *Module) Request(ctx context.Context, sites []*site.Site) (*change.Request, error) {
	if len(sites) == 0 {
		return nil, change.Refused{Why: "the report has none of its sites"}
	}
	pkg, err := m.Load(ctx, sites[0].Package)
	if err != nil {
		return nil, err
	}
	if m.Generated != nil {
		if sites, err = m.Generated.Opened(ctx, sites); err != nil {
			return nil, err
		}
	}
	return &change.Request{
		Package: pkg, Sites: sites, Language: Language(pkg), Library: pkg.Module != nil && change.HasLibrary(pkg.Module.GoMod),
		Around: func() (*change.World, error) { return m.Around(ctx, pkg) },
	}, nil
}

// Make makes the change for the sites of a proposal. If there is no change, it returns a Refused
// error with the reason.
func (m *Module) Make(ctx context.Context, name site.Remedy, sites []*site.Site) (made *change.Change, pkg *packages.Package, err error) {
	err = Carefully(func() error {
		r, err := m.Request(ctx, sites)
		if err != nil {
			return err
		}
		pkg = r.Package
		made, err = remedies.Make(ctx, name, *r)
		return err
	})
	return made, pkg, err
}

// Around returns the facts about the code of the module that can reach a package. It loads that
// code once, and caches the facts.
func (m *Module) Around(ctx context.Context, pkg *packages.Package) (world *change.World, err error) {
	if world = m.worlds[pkg.PkgPath]; world != nil {
		return world, nil
	}
	m.Show("reading all of the module that can reach " + pkg.PkgPath)
	if world, err = change.Look(ctx, m.Dir, nil, pkg); err == nil {
		if m.Generated != nil {
			world.Makes = m.Generated.At(ctx)
		}
		if m.worlds == nil {
			m.worlds = map[string]*change.World{}
		}
		m.worlds[pkg.PkgPath] = world
	}
	return world, err
}

// Load loads a package with its types, and caches it.
func (m *Module) Load(ctx context.Context, path string) (*packages.Package, error) {
	pattern := path
	if path == "main" {
		pattern = m.Main
	}
	if pkg := m.loaded[pattern]; pkg != nil {
		return pkg, nil
	}
	all, err := packages.Load(&packages.Config{Context: ctx, Mode: rewrite.Mode | packages.NeedModule, Dir: m.Dir}, pattern)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, change.Refused{Why: "there is no package " + pattern + " here"}
	}
	if of := all[0].Module; of != nil && !of.Main {
		return nil, change.Refused{Why: fmt.Sprintf("it is in another module, %s: run coppice fix in a clone of that module", of.Path)}
	}
	if m.loaded == nil {
		m.loaded = map[string]*packages.Package{}
	}
	m.loaded[pattern] = all[0]
	return all[0], nil
}

// Language returns the Go version of a package's module, such as go1.24, or "" if it is unknown.
func Language(pkg *packages.Package) string {
	if pkg.Module == nil || pkg.Module.GoVersion == "" {
		return ""
	}
	return "go" + pkg.Module.GoVersion
}

// Carefully calls a function for one proposal, and turns a panic into a Refused error. So a bug in
// Coppice affects only one proposal, and the results of the other proposals are not lost.
func Carefully(do func() error) (err error) {
	defer func() {
		if mistake := recover(); mistake != nil {
			err = change.Refused{Why: fmt.Sprintf("this is a bug in coppice fix; please report it: %v", mistake)}
		}
	}()
	return do()
}
