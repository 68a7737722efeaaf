package find

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/runs"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// Tests analyzes the tests of one package that match o.Test.
func Tests(ctx context.Context, o Options) (*Found, error) {
	r := o.start(ctx)
	here, err := trees.Here(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	t, err := o.open(ctx, here)
	if err != nil {
		return nil, err
	}
	o.Show("building the tests")
	p, err := o.tested(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := readable(ctx, t, p.ImportPath); err != nil {
		return nil, err
	}
	if err := t.Build(ctx, []string{p.ImportPath}); err != nil {
		return nil, err
	}
	scope, err := scopeOf(ctx, t)
	if err != nil {
		return nil, err
	}
	r.Target = Target{Package: p.ImportPath, Name: "-test " + o.Test, Unit: "run", Dir: p.Dir}
	at := packageArgument(o.Dir, p.Dir)
	r.Target.Find = "-test" + quote([]string{o.Test, at})
	if benchmarks(p.Dir) {
		r.Target.Next = "-bench . " + at
	}
	r.ran(t, p.ImportPath)
	s := &runs.Tests{Tree: t, Package: p.ImportPath, Pattern: o.Test}
	found, err := o.look(ctx, r, &looked{s, t, scope, p.ImportPath})
	if err != nil {
		return nil, err
	}
	r.warn("coppice fix and prove measure benchmarks: write one that does what these tests do, then run coppice find -bench . %s", at)
	if s.Once() {
		r.warn("the tests fail when they run twice in one process, so each process runs them once; one-time set-up is part of the figures")
	}
	return found, nil
}

var testDeclared = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)

// tested returns the package whose tests match o.Test. It fails unless there is exactly one such
// package.
func (o *Options) tested(ctx context.Context, t *gobench.Tree) (p gobench.Package, err error) {
	all, err := t.List(ctx, o.Packages...)
	if err != nil {
		return p, err
	}
	t.Packages = map[string]gobench.Package{}
	for _, p := range all {
		if p.Error != nil && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			return p, fmt.Errorf("%s", strings.TrimSpace(p.Error.Err))
		}
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return p, err
			}
			for _, m := range testDeclared.FindAllSubmatch(text, -1) {
				if runs.MayMatch(o.Test, string(m[1])) {
					t.Packages[p.ImportPath] = p
				}
			}
		}
	}
	switch names := sortedKeys(t.Packages); len(names) {
	case 0:
		return p, fmt.Errorf("%w -test %s; go test -list . prints their names", runs.ErrNoTests, o.Test)
	case 1:
		return t.Packages[names[0]], nil
	default:
		return p, fmt.Errorf("-test %s matches tests in %d packages (%s); specify one", o.Test, len(names), joinFirst(names))
	}
}

// Program analyzes a single run of a program.
func Program(ctx context.Context, o Options) (*Found, error) {
	r := o.start(ctx)
	here, err := trees.Here(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	folder, err := o.Scratch.Sub("find")
	if err != nil {
		return nil, err
	}
	o.Show("building the program")
	t := &gobench.Tree{Tree: here, Folder: folder}
	p, err := o.program(ctx, t)
	if err != nil {
		return nil, err
	}
	scope, err := scopeOf(ctx, t)
	if err != nil {
		return nil, err
	}
	at, arguments := packageArgument(o.Dir, p.Dir), quote(o.Args)
	r.Target = Target{Package: p.ImportPath, Name: "-main" + arguments, Unit: "run", Dir: p.Dir}
	r.Target.Next = "-- ./old" + arguments + " ::: ./new" + arguments
	r.Target.Find = "-main" + quote([]string{strings.TrimSpace(arguments), at})
	s := &runs.Program{Tree: t, Package: p, Args: o.Args, Dir: o.Dir, Name: at + arguments}
	if err := readable(ctx, t, p.ImportPath); err != nil {
		return nil, err
	}
	if err := s.Build(ctx); err != nil {
		return nil, err
	}
	if err := t.ReadSettings(ctx); err != nil {
		return nil, err
	}
	if slowed := t.Slowed(); slowed != "" {
		r.warn("%s", slowed)
	}
	found, err := o.look(ctx, r, &looked{s, t, scope, p.ImportPath})
	if err != nil {
		return nil, err
	}
	r.warn("to prove a change, build the program before and after it: go build -o old %s, go build -o new %s", at, at)
	return found, nil
}

// program returns the main package to analyze. It fails unless there is exactly one.
func (o *Options) program(ctx context.Context, t *gobench.Tree) (p gobench.Package, err error) {
	all, err := t.List(ctx, o.Packages...)
	if err != nil {
		return p, err
	}
	programs := map[string]gobench.Package{}
	for _, p := range all {
		if p.Error != nil {
			return p, fmt.Errorf("%s", strings.TrimSpace(p.Error.Err))
		}
		if p.Name == "main" {
			programs[p.ImportPath] = p
		}
	}
	switch len(programs) {
	case 0:
		return p, fmt.Errorf("%s is not a main package; name the folder of one: coppice find -main 'ARGS' ./cmd/x", strings.Join(o.Packages, " "))
	case 1:
		return slices.Collect(maps.Values(programs))[0], nil
	default:
		return p, fmt.Errorf("found %d main packages (%s); specify one", len(programs), joinFirst(sortedKeys(programs)))
	}
}

// quote quotes words for a shell, and puts a space before each.
func quote(words []string) string {
	var all strings.Builder
	for _, w := range words {
		all.WriteString(" " + quoted(w))
	}
	return all.String()
}
