package fix

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/remedy/arena"
	"github.com/coppice-go/coppice/cmd/internal/remedy/attempt"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
)

// arena adds a variant of a function that takes an arena as a parameter. It proves two claims:
// callers without an arena lose nothing, and the benchmark gains with an arena that is reset after
// each result. If callers without an arena lose, it tries a second variant, in which the lists that
// the compiler keeps on the stack are unchanged.
func (l *loop) arena(ctx context.Context, w *planner) error {
	pkg, err := w.Load(ctx, l.result.Target.Package)
	if err != nil {
		return err
	}
	first, err := l.tryArena(ctx, w, pkg, arena.Form, nil)
	if err != nil || first.Heap == nil || first.Heap.Verdict != prove.Revert {
		return err
	}
	_, err = l.tryArena(ctx, w, pkg, arena.SparingForm, first)
	return err
}

// tryArena creates a variant and proves it. It skips a variant that equals the earlier one.
func (l *loop) tryArena(ctx context.Context, w *planner, pkg *packages.Package, form func(context.Context, string) change.Maker, earlier *planned) (*planned, error) {
	s := &planned{Step: &Step{Title: "arena for " + l.Arena, Proposals: []find.Proposal{}, State: Left, packages: []string{pkg.PkgPath}}}
	if earlier == nil {
		l.result.Steps = append(l.result.Steps, s.Step)
	} else {
		s.Title += ", without lists that are only returned"
	}
	var made *change.Change
	err := attempt.Carefully(func() (err error) {
		r := change.Request{
			Package: pkg, Make: form(ctx, l.Arena), Language: attempt.Language(pkg), Library: true,
			Around: func() (*change.World, error) { return w.Around(ctx, pkg) },
		}
		if made, err = change.Form(ctx, r); err == nil {
			err = w.intoGrammars(ctx, made)
		}
		return err
	})
	var refused change.Refused
	if errors.As(err, &refused) {
		s.Why = refused.Why
		return s, nil
	}
	if err != nil {
		return s, err
	}
	s.edits, s.Done, s.Stay, s.Price = made.Edits, made.Done, made.Left, made.Price
	s.About, s.Undo = lines(made.About), lines(made.Undo)
	name, caller, err := callerIn(ctx, pkg, strings.Split(l.result.Target.Name, "/")[0], l.Arena)
	if err != nil {
		s.Why = err.Error()
		return s, nil
	}
	changed, err := caller.Text()
	if err != nil {
		return s, err
	}
	if err := l.addTest(ctx, w, s, pkg, caller); err != nil {
		return s, err
	}
	after, err := l.sumOf(ctx, &s.edits)
	if err != nil {
		return s, err
	}
	if s.Diff, err = l.diff(ctx, nil, after); err != nil || earlier != nil && s.Diff == earlier.Diff {
		return s, err
	}
	if earlier != nil {
		l.result.Steps = append(l.result.Steps, s.Step)
	}
	l.number++
	l.tests = s.packages
	s.Number, s.Patch = l.number, fmt.Sprintf("%d-%s.patch", l.number, slug(s.Title))
	s.State = Dropped
	reset := maps.Clone(after)
	reset[name] = changed
	return s, l.proveArena(ctx, s, after, reset)
}

// proveArena runs two proofs: one without an arena, and one with an arena that the benchmark
// resets. The first proof rejects the variant only if a loss is proven, because existing callers
// are not expected to gain. The second proof cannot compare results, because the benchmark resets
// the arena before its last result is hashed.
func (l *loop) proveArena(ctx context.Context, s *planned, after, withReset map[string][]byte) (err error) {
	if s.Heap, err = l.prove(ctx, s.Number, nil, after, nil); err == nil && s.Heap.Verdict == prove.Revert {
		s.Why = "without an arena: " + strings.Join(s.Heap.Comparisons[0].Reasons, "; ")
		return nil
	}
	if err == nil {
		o := *l.Options
		o.Equal = slices.DeleteFunc(slices.Clone(o.Equal), func(c prove.Check) bool { return c == prove.CheckResults }) // the benchmark resets the last result
		reset := *l
		reset.Options = &o
		s.Proof, err = reset.prove(ctx, s.Number, nil, withReset, nil)
	}
	errors.As(err, &s.Trouble)
	switch {
	case ctx.Err() != nil:
		s.Why = "interrupted"
		return context.Cause(ctx)
	case errors.Is(err, prove.ErrNoBenchmark):
		return err
	case err != nil:
		s.Why = oneLine(err)
		return nil
	}
	s.Why = strings.Join(s.Proof.Comparisons[0].Reasons, "; ")
	if s.Proof.Verdict == prove.Keep {
		s.State = Kept
		l.kept = append(l.kept, s)
	}
	return nil
}

// requiresLibrary returns an error if the module does not require Coppice. The user has to decide
// about a new dependency.
func requiresLibrary(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "go", "env", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	if !change.HasLibrary(strings.TrimSpace(string(out))) {
		return errors.New("-arena: the module does not require Coppice, which provides the arena; run go get github.com/coppice-go/coppice first")
	}
	return nil
}

// callerIn finds the benchmark in the test files of a package, and returns the name of its file and
// its call of the function.
func callerIn(ctx context.Context, pkg *packages.Package, benchmark, function string) (name string, c *arena.Caller, err error) {
	names, err := filepath.Glob(filepath.Join(filepath.Dir(pkg.GoFiles[0]), "*_test.go"))
	if err != nil {
		return "", nil, err
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return "", nil, err
		}
		if !strings.Contains(string(src), "func "+benchmark+"(") {
			continue
		}
		folder := filepath.Dir(name)
		c, err := arena.CallerOf(name, src, benchmark, function, arena.Around{
			Declared: func(other string) bool {
				return edits.Declares(folder, pkg.Name, other) || edits.Declares(folder, pkg.Name+"_test", other)
			},
			Name: func(path string) string {
				found, err := packages.Load(&packages.Config{Context: ctx, Mode: packages.NeedName, Dir: folder}, path)
				if err != nil || len(found) != 1 {
					return ""
				}
				return found[0].Name
			},
		})
		return name, c, err
	}
	return "", nil, fmt.Errorf("no test file of %s has %s", pkg.PkgPath, benchmark)
}

// addTest adds a test of the new variant to a step, if the call can be taken from the benchmark and
// the test compiles.
func (l *loop) addTest(ctx context.Context, w *planner, s *planned, pkg *packages.Package, c *arena.Caller) error {
	fn, ok := pkg.Types.Scope().Lookup(l.Arena).(*types.Func)
	if !ok {
		return nil
	}
	text, err := c.Test(fn.Signature().Results().Len())
	if err != nil || text == nil {
		return err
	}
	name := filepath.Join(filepath.Dir(pkg.GoFiles[0]), strings.ToLower(l.Arena)+"_arena_test.go")
	if exists(name) {
		return nil // never overwrite an existing test file
	}
	files, err := l.sumOf(ctx, &s.edits)
	if err != nil {
		return err
	}
	files[name] = text
	world, err := w.Around(ctx, pkg)
	if err != nil {
		return err
	}
	var refused change.Refused
	if err := world.CheckButOrder(ctx, files, s.edits.Unused()); errors.As(err, &refused) {
		s.Stay = append(s.Stay, "no test was added: "+refused.Why)
		return nil
	}
	s.Done = append(s.Done, filepath.Base(name)+": a test of two results from one arena")
	return s.edits.Create(name, text)
}
