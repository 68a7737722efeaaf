package vetrun

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/testmain"
)

// ErrPattern is wrapped by the errors for patterns that match no package.
var ErrPattern = errors.New("no such package")

// load lists the packages and all their imports. It does not read source files.
func load(ctx context.Context, plan Plan) ([]*packages.Package, error) {
	config := &packages.Config{
		Context: ctx, Dir: plan.Dir, Tests: plan.Tests,
		Mode: packages.LoadImports | packages.NeedDeps | packages.NeedTypesSizes | packages.NeedForTest | packages.NeedModule,
	}
	if plan.Tags != "" {
		config.BuildFlags = []string{"-tags=" + plan.Tags}
	}
	loaded, err := packages.Load(config, plan.Patterns...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		text := err.Error()
		if _, said, ok := strings.Cut(text, "stderr: "); ok {
			text = said // the message of the go command
		}
		return nil, fmt.Errorf("%w: %s", ErrPattern, oneLine(text))
	}
	if len(loaded) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrPattern, strings.Join(plan.Patterns, " "))
	}
	for _, p := range loaded {
		if matchesNothing(p) {
			return nil, fmt.Errorf("%w: %s", ErrPattern, oneLine(p.Errors[0].Msg))
		}
	}
	return loaded, nil
}

// matchesNothing reports whether a package is only the go command's placeholder for a pattern that
// matches nothing.
func matchesNothing(p *packages.Package) bool {
	return len(p.Errors) > 0 && p.Errors[0].Kind == packages.ListError && p.Name == "" && len(p.GoFiles)+len(p.IgnoredFiles)+len(p.OtherFiles) == 0
}

// dropDuplicates drops the main packages that the go command generates for tests, and packages that
// are also listed with their tests. It returns the latter by path.
func dropDuplicates(loaded []*packages.Package) (roots []*packages.Package, untested map[string]*packages.Package) {
	untested = map[string]*packages.Package{}
	withTests := map[string]bool{}
	for _, p := range loaded {
		if p.ForTest == p.PkgPath {
			withTests[p.PkgPath] = true
		}
	}
	for _, p := range loaded {
		switch {
		case testmain.Is(p):
		case p.ForTest == "" && withTests[p.PkgPath]:
			untested[p.PkgPath] = p
		default:
			roots = append(roots, p)
		}
	}
	return roots, untested
}

// rootOf returns the folder of the main module that contains a folder, or the folder itself if
// there is none.
func rootOf(dir string, loaded []*packages.Package) string {
	for _, p := range loaded {
		if m := p.Module; m != nil && m.Main && m.Dir != "" {
			if inside, err := filepath.Rel(m.Dir, dir); err == nil && filepath.IsLocal(inside) {
				return m.Dir
			}
		}
	}
	return dir
}

// oneLine returns a message of the go command as one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
