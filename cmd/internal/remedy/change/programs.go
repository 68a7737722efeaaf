package change

import (
	"context"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/builds"
)

// A Program consists of the changed package and the packages of the module that may be in the same
// program, without tests, in one build. Their types are not identical to the types in
// Request.Package, because the packages are loaded again.
type Program struct {
	Build  string // settings of the build; empty for the current build
	Root   *packages.Package
	Others []*packages.Package
}

// Programs returns a Program for each build that includes the package and in which the package
// compiles.
func (w *World) Programs(ctx context.Context) (all []Program, err error) {
	for i, c := range append([]builds.Config{w.set.Present}, w.set.Configs...) {
		loaded, err := w.set.Load(ctx, c)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil: // Form reports what is unknown in such a build
			continue
		}
		p := Program{Root: plain(loaded, w.pkg.PkgPath)}
		if p.Root == nil || fails(p.Root) {
			continue
		}
		if i > 0 {
			p.Build = c.String()
		}
		for _, other := range loaded {
			if other != p.Root && other.ForTest == "" && other.TypesInfo != nil && !fails(other) {
				p.Others = append(p.Others, other)
			}
		}
		all = append(all, p)
	}
	return all, nil
}

// fails reports whether a package, or one that it imports, does not compile, so that no program can
// contain the package.
func fails(pkg *packages.Package) (found bool) {
	packages.Visit([]*packages.Package{pkg}, func(p *packages.Package) bool {
		found = found || p.IllTyped
		return !found
	}, nil)
	return found
}
