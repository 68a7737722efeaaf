package schema

import (
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// Load loads the packages that match the patterns, relative to dir, and returns a model of each
// package. If the schemas contain errors, it returns all of them together as Problems.
func Load(dir string, patterns []string) ([]*Model, error) {
	config := &packages.Config{Dir: dir, Fset: token.NewFileSet(), Mode: packages.NeedName | packages.NeedFiles |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}
	found, err := packages.Load(config, patterns...)
	if err != nil {
		return nil, fmt.Errorf("loading %v: %w", patterns, err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%v matches no package", patterns)
	}
	var models []*Model
	var problems Problems
	for _, p := range found {
		if len(p.Errors) > 0 {
			return nil, loadError(p)
		}
		m, wrong := newReader(config.Fset, dir, p).read()
		models = append(models, m)
		problems = append(problems, wrong...)
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return models, nil
}

// loadError joins the errors that the go command or the type checker reported for a package.
func loadError(p *packages.Package) error {
	var all []error
	all = slices.Grow(all, len(p.Errors))
	for _, e := range p.Errors {
		if e.Pos == "" || e.Pos == "-" { // an error of the package, without a line
			all = append(all, fmt.Errorf("%s; name the package of a schema", e.Msg))
			continue
		}
		all = append(all, errors.New(e.Error()))
	}
	return errors.Join(all...)
}

// relative makes the file name of a position relative to dir if the file is inside dir.
func relative(dir string, p token.Position) token.Position {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return p
	}
	if short, err := filepath.Rel(abs, p.Filename); err == nil && filepath.IsLocal(short) {
		p.Filename = short
	}
	return p
}
