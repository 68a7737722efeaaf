package fix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/grammar"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A generated file is edited like any other file, if its grammar contains the expression. The edits
// are then moved to the grammar, from which the generator must produce the edited file.

// Opened prepares sites for the remedies. If the expression of a site can be changed in the
// grammar, Opened clears the flags that mark the file as generated. For every other site in a
// generated file, it records why the site cannot be changed.
func (w *planner) Opened(ctx context.Context, sites []*site.Site) (all []*site.Site, err error) {
	for _, s := range sites {
		if (s.Facts.Generated || s.Facts.Directive) && s.Facts.Expr != nil {
			why, err := w.stays(ctx, s.Facts.Expr.File, s.Facts.Expr.From, s.Facts.Expr.To)
			if err != nil {
				return nil, err
			}
			other := *s
			other.Facts.Stays = why
			if why == "" {
				other.Facts.Generated, other.Facts.Directive = false, false
			}
			s = &other
		}
		all = append(all, s)
	}
	return all, nil
}

// stays returns the reason why the expression between two offsets of a generated file cannot be
// changed, or "" if it can be changed.
func (w *planner) stays(ctx context.Context, file string, from, to int) (why string, err error) {
	w.Options.Show.Stage("running the generator of " + filepath.Base(file))
	source, why, err := w.works.Of(ctx, file)
	if source != nil {
		why = source.Stays(from, to)
	}
	return why, err
}

// At returns a function for change.World. It returns the reason why an expression in a generated
// file cannot be changed, or "" if it can be changed.
func (w *planner) At(ctx context.Context) func(from, to token.Position) (why string) {
	return func(from, to token.Position) string {
		why, err := w.stays(ctx, from.Filename, from.Offset, to.Offset)
		if err != nil {
			return err.Error()
		}
		return why
	}
}

// intoGrammars adds the edits of the grammars that correspond to the edits of generated files.
// Without them, the edits would be lost when the generator runs again. It returns a Refused error
// if an edit cannot be moved, or if the generator would write a different file.
func (w *planner) intoGrammars(ctx context.Context, made *change.Change) error {
	moved := false
	for _, file := range made.Edits.Edited() {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !isGenerated(data) {
			continue
		}
		if err := w.intoGrammar(ctx, made, file, data); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		return nil
	}
	_, err := w.sumOf(ctx, &made.Edits)
	return err
}

// intoGrammar adds the edits of the grammar for one generated file.
func (w *planner) intoGrammar(ctx context.Context, made *change.Change, file string, data []byte) error {
	source, why, err := w.works.Of(ctx, file)
	switch {
	case err != nil:
		return err
	case why != "":
		return change.Refusef("%s would change, too: %s", filepath.Base(file), why)
	}
	after, err := made.Edits.Apply()
	if err != nil {
		return err
	}
	gone, err := grammar.Lacks(data, after[file])
	if err != nil {
		return err
	}
	var parts []grammar.Edit
	for _, p := range made.Edits.Parts(file) {
		parts = append(parts, grammar.Edit(p))
	}
	all, err := source.Move(parts, made.Edits.Needed(file), gone)
	if err != nil {
		return refusedBy(err)
	}
	if by, err := change.DataOf(source.Grammar); err != nil || by != "" {
		return errors.Join(err, change.Refusef("%s embeds %s (go:embed), and would see the change", filepath.Base(by), filepath.Base(source.Grammar)))
	}
	for _, e := range all {
		made.Edits.Put(source.Grammar, edits.Part(e))
	}
	made.About += fmt.Sprintf("\n%s is generated: the change is made in %s, from which %s generated this file. Without the change, it generates the file as before.", filepath.Base(file), filepath.Base(source.Grammar), source.Generator())
	made.Undo += " In " + filepath.Base(source.Grammar) + ", not in " + filepath.Base(file) + ": run go generate."
	return nil
}

// refusedBy converts a grammar.Refused error to a change.Refused error.
func refusedBy(err error) error {
	var refused grammar.Refused
	if errors.As(err, &refused) {
		return change.Refused{Why: refused.Why}
	}
	return err
}

// isGenerated reports whether a file is marked as generated.
func isGenerated(data []byte) bool {
	if bytes.Contains(data, []byte("\n//line ")) || bytes.HasPrefix(data, []byte("//line ")) {
		return true
	}
	file, _ := parser.ParseFile(token.NewFileSet(), "", data, parser.ParseComments|parser.PackageClauseOnly)
	return file != nil && ast.IsGenerated(file)
}

// sumOf returns the new contents of all files that the edits change. The contents of generated
// files are the output of their generators.
func (o *Options) sumOf(ctx context.Context, all *edits.Set) (map[string][]byte, error) {
	files, err := all.Apply()
	if err == nil {
		err = refusedBy(o.works.Finish(ctx, files))
	}
	return files, err
}

// sum returns the new contents of all files that the steps change. All edits apply to the original
// source.
func (o *Options) sum(ctx context.Context, steps []*planned) (map[string][]byte, error) {
	all, err := joinEdits(steps)
	if err != nil {
		return nil, err
	}
	return o.sumOf(ctx, &all)
}

// joinEdits joins the edits of several steps.
func joinEdits(steps []*planned) (all edits.Set, err error) {
	for _, s := range steps {
		if err := all.Add(&s.edits); err != nil {
			return all, err
		}
	}
	return all, nil
}

// witness is like sum, but returns the files with the witness form of each edit. It returns nil if
// the last step has no witness form. These files are not kept, so no generator runs for them.
func witness(steps []*planned) (map[string][]byte, error) {
	if !steps[len(steps)-1].edits.HasWitness() {
		return nil, nil
	}
	all, err := joinEdits(steps)
	if err != nil {
		return nil, err
	}
	return all.Witness().Apply()
}
