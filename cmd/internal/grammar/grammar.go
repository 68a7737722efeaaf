// Package grammar changes the grammars from which files are generated. It moves an edit from the
// generated file to the grammar. A //line directive determines the line, and the words that both
// files share determine the position in that line. Then the package runs the generator twice. From
// the old grammar, the generator must produce the current file, and from the changed grammar, the
// edited file. Only //line directives and layout may differ. Otherwise the edit is dropped.
//
//	tokens.go    the words of a file, and whether two files have the same
//	align.go     which words of a generated file come from the grammar
//	move.go      edits, moved to the grammar
//	imports.go   imports of the grammar
//	command.go   the go:generate lines that may run
//	run.go       runs them in a copy of the tree
//	grammar.go   a generated file with its grammar
//
// docs/decisions/0048 explains why edits are made in the generated file first.
package grammar

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A Works runs the generators of a tree, in a copy of the tree, and holds the generated files that
// it has examined.
type Works struct {
	Tree    trees.Tree
	Scratch *trees.Scratch

	copied  *trees.Tree
	sources map[string]*Source // sources by the name of the generated file
	refused map[string]string  // reasons why files have no source, by file name
	outputs map[string][]byte  // generated files, by their input
}

// A Source is a generated file and its grammar.
type Source struct {
	File    string // name of the generated file
	Grammar string

	recipe    recipe
	generated []byte
	grammar   []byte
	aligned   aligned
}

// Of returns the source of a generated file, if the generator reproduces that file exactly.
// Otherwise why is the reason that it cannot be changed.
func (w *Works) Of(ctx context.Context, file string) (s *Source, why string, err error) {
	if s, why := w.sources[file], w.refused[file]; s != nil || why != "" {
		return s, why, nil
	}
	s, err = w.look(ctx, file)
	var refused Refused
	if errors.As(err, &refused) {
		keep(&w.refused, file, refused.Why)
		return nil, refused.Why, nil
	}
	if err != nil {
		return nil, "", err
	}
	keep(&w.sources, file, s)
	return s, "", nil
}

func keep[V any](all *map[string]V, key string, value V) {
	if *all == nil {
		*all = map[string]V{}
	}
	(*all)[key] = value
}

// Refused is the error for a generated file that cannot be changed through its grammar.
type Refused struct{ Why string }

// Error returns the reason why the file cannot be changed.
func (r Refused) Error() string { return r.Why }

func refusef(format string, args ...any) error { return Refused{fmt.Sprintf(format, args...)} }

// look reads a generated file and its grammar, and runs the generator to check that it reproduces
// the file.
func (w *Works) look(ctx context.Context, file string) (*Source, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s := &Source{File: file, generated: data}
	if s.Grammar, err = w.grammarOf(file, data); err != nil {
		return nil, err
	}
	if s.grammar, err = os.ReadFile(s.Grammar); err != nil {
		return nil, err
	}
	all, err := recipes(file, s.Grammar, data)
	if err != nil {
		return nil, err
	}
	var first error // first error from a tool that did not reproduce the file
	for _, r := range all {
		s.recipe = r
		made, err := w.run(ctx, s, nil)
		var refused Refused
		switch {
		case errors.As(err, &refused):
		case err != nil:
			return nil, err
		default:
			if err = s.accept(made); err == nil {
				s.aligned = align(data, s.grammar, s.isGrammar, r.prefix)
				return s, nil
			}
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

// accept checks whether the recipe reproduced the current file. If only gofmt is missing, it adds
// that step to the recipe. If the output differs otherwise, it returns an error: another generator,
// or another version of it, wrote the file.
func (s *Source) accept(made []byte) error {
	if bytes.Equal(made, s.generated) {
		return nil
	}
	if formatted, ok := formatted(made); ok && bytes.Equal(formatted, s.generated) {
		s.recipe.steps = append(slices.Clip(s.recipe.steps), step{format: true})
		return nil
	}
	return refusef("%s generates a different %s: %s", s.recipe.called, filepath.Base(s.File), s.recipe.otherVersion(s.generated))
}

// isGrammar reports whether the file name in a //line directive denotes the grammar.
func (s *Source) isGrammar(name string) bool {
	return named(s.File, name) == s.Grammar || sameFile(named(s.File, name), s.Grammar)
}

// named returns the path of a file that is named in a //line directive of another file.
func named(file, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(file), filepath.FromSlash(name))
}

// sameFile reports whether two names denote the same file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// grammarOf returns the grammar of a generated file: the file in the tree that its //line
// directives name.
func (w *Works) grammarOf(file string, data []byte) (string, error) {
	found, missing := "", ""
	for _, r := range regionsOf(data) {
		name := named(file, r.name)
		if name == filepath.Clean(file) {
			continue
		}
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && !info.Mode().IsRegular():
			missing = r.name
			continue
		case err != nil:
			return "", err
		case !w.within(name):
			return "", refusef("its //line directives name %s, which is outside the tree", r.name)
		case found != "" && found != name:
			return "", refusef("it is generated from more than one file: %s and %s", filepath.Base(found), filepath.Base(name))
		}
		found = name
	}
	switch {
	case found == "" && missing != "":
		return "", refusef("its //line directives name %s, which does not exist", missing)
	case found == "":
		return "", Refused{"the file is generated, but no //line directive names its source; change that source"}
	}
	return found, nil
}

// within reports whether a file is in the tree after symbolic links are resolved.
func (w *Works) within(name string) bool {
	rel, err := w.rel(name)
	return err == nil && filepath.IsLocal(rel)
}

// rel returns the path of a file relative to the root of the tree.
func (w *Works) rel(name string) (string, error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	} else if real, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		name = filepath.Join(real, filepath.Base(name))
	}
	return filepath.Rel(w.Tree.Root, name)
}

// Generator returns the name of the generator, for messages.
func (s *Source) Generator() string { return s.recipe.called }

// Stays returns the reason why the expression between two offsets of the generated file cannot be
// changed, or "" if it can be changed, because it occurs exactly once in the grammar.
func (s *Source) Stays(from, to int) (why string) {
	return s.aligned.stays(from, to, filepath.Base(s.Grammar))
}

// Finish runs the generators of the changed grammars, and replaces the edited files by the
// generated ones. It returns a Refused error if a generated file differs from the edited one.
func (w *Works) Finish(ctx context.Context, files map[string][]byte) error {
	if w == nil {
		return nil
	}
	for _, s := range w.sources {
		edited, inGenerated := files[s.File]
		_, inGrammar := files[s.Grammar]
		switch {
		case !inGenerated && !inGrammar:
			continue
		case !inGenerated || !inGrammar:
			return refusef("%s and %s must change together", filepath.Base(s.File), filepath.Base(s.Grammar))
		}
		made, err := w.run(ctx, s, files)
		if err != nil {
			return err
		}
		if where := differ(edited, made); where != "" {
			return refusef("%s generates an unexpected %s from the changed %s: %s", s.recipe.called, filepath.Base(s.File), filepath.Base(s.Grammar), where)
		}
		files[s.File] = made
	}
	return nil
}
