package prove

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// witnessEnv is the environment variable that contains the name of the file in which the witness
// form of a program records violations. violation is the prefix of the lines in this file. Package
// rewrite/witness has copies of both constants.
const (
	witnessEnv = "COPPICE_WITNESS"
	violation  = "coppice witness: "
)

// A Trouble is an error of Benchmarks that ends the proof before anything is measured: the witness
// form of a head found a violation, or go vet has new findings.
type Trouble struct {
	Line  string `json:"line"`
	Stack string `json:"stack,omitempty"` // stack traces of the owner's earlier use and of the violation, if any
}

// Error returns t.Line.
func (t *Trouble) Error() string { return t.Line }

// lookForTrouble builds the witness form in a separate tree, and runs the tests and, once, each
// benchmark with it. It returns a Trouble if the witness form reports a violation, or behaves
// differently from the base. It runs before the comparison, which may miss an owner that two
// goroutines use, because the tests can pass by luck.
func (p *proof) lookForTrouble(ctx context.Context) error {
	p.Show.Stage("building the witness form")
	a, err := p.witnessTree(ctx)
	if err != nil {
		return err
	}
	w := &witness{proof: p, tree: a, record: a.Extra[witnessEnv]}
	if err := a.Build(ctx, p.paths); err != nil {
		return w.trouble(ctx, "", err)
	}
	tests, err := w.runTests(ctx)
	if err != nil {
		return err
	}
	if err := w.runBenchmarks(ctx); err != nil {
		return err
	}
	done := "witness form: "
	if tests > 0 {
		done += "tests of " + counted(tests, "package") + ", "
	}
	e := &p.result.Comparisons[0].Equality
	e.Done = append(e.Done, done+counted(len(p.all), "benchmark")+", no violation")
	return nil
}

// witnessTree creates the tree in which the witness form is built.
func (p *proof) witnessTree(ctx context.Context) (*gobench.Tree, error) {
	here, err := trees.Here(ctx, p.Dir)
	if err != nil {
		return nil, err
	}
	tree, err := trees.Patched(ctx, here, p.Witness, filepath.Join(p.Scratch.Path, "witness"))
	if err != nil {
		return nil, err
	}
	tree.Name = "the witness form"
	folder, err := p.Scratch.Sub("witness.built")
	if err != nil {
		return nil, err
	}
	shared, err := p.Scratch.Sub("meter")
	if err != nil {
		return nil, err
	}
	a, _, err := gobench.Open(ctx, tree, folder, shared)
	if err != nil {
		return nil, err
	}
	a.Extra = map[string]string{witnessEnv: filepath.Join(folder, "record")}
	return a, a.Choose(ctx, p.Packages)
}

// A witness is the state of a run of the witness form.
type witness struct {
	*proof
	tree   *gobench.Tree
	record string
}

// trouble returns the first recorded violation as a Trouble. If none was recorded, the Trouble
// contains the output or, if nothing was printed, err. If both are empty, trouble returns nil. If
// the context has ended, or the record cannot be read, it returns that error. Violations are
// recorded in a file, so that a program that recovers from the panic cannot hide them.
func (w *witness) trouble(ctx context.Context, said string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text, e := os.ReadFile(w.record)
	switch {
	case e == nil && len(text) > 0:
		return firstViolation(string(text))
	case e != nil && !errors.Is(e, fs.ErrNotExist):
		return e
	case err != nil:
		said = cmp.Or(said, err.Error())
	}
	if said == "" {
		return nil
	}
	return &Trouble{Line: "the witness form of the change: " + said}
}

// firstViolation returns the first violation in the text of the record.
func firstViolation(text string) *Trouble {
	line, stack, _ := strings.Cut(text, "\n")
	stack, _, _ = strings.Cut(stack, "\n"+violation)
	return &Trouble{Line: line, Stack: strings.TrimRight(stack, "\n")}
}

// runTests runs the tests of the proof once with the witness form, and returns the number of tested
// packages. A test that fails here but not in the base is trouble.
func (w *witness) runTests(ctx context.Context) (packages int, err error) {
	wants := func(c Check) bool { return slices.Contains(w.Equal, c) }
	if !wants(CheckTests) && !wants(CheckDependants) && !wants(CheckRace) {
		return 0, nil
	}
	w.Show.Stage("running the tests of the witness form")
	paths := w.tested()
	if wants(CheckDependants) {
		if paths, err = dependants(ctx, w.sides[0], paths); err != nil {
			return 0, err
		}
	}
	var flags []string
	if wants(CheckRace) {
		flags = []string{"-race"}
	}
	once := append([]string{"-count=1"}, flags...)
	after, err := outcomes(ctx, w.tree, once, paths)
	if err := w.trouble(ctx, "", err); err != nil {
		return 0, err
	}
	failed := failures(after)
	if len(failed) == 0 {
		return len(paths), nil
	}
	var again []string
	for _, t := range failed {
		again = append(again, t.pkg)
	}
	before, err := outcomes(ctx, w.sides[0], once, slices.Compact(again))
	if err != nil {
		return 0, err
	}
	for _, t := range failed {
		if err := w.compare(ctx, t, before, after, flags); err != nil {
			return 0, err
		}
	}
	return len(paths), nil
}

// failures returns the tests that failed, and the packages that failed without a failing test: in
// TestMain or an init function, for example.
func failures(all map[test][]string) []test {
	failed := slices.DeleteFunc(slices.Collect(maps.Keys(all)), func(t test) bool {
		ended := all[t][0]
		return ended != "fail" && ended != raced || t.name == "" && failsInside(all, t.pkg)
	})
	slices.SortFunc(failed, func(a, b test) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name)) })
	return failed
}

// compare returns a Trouble if a test fails in the witness form, but not in the base.
func (w *witness) compare(ctx context.Context, t test, before, after map[test][]string, flags []string) error {
	if was := before[t]; len(was) > 0 && (was[0] == "fail" || was[0] == raced) {
		return nil
	}
	if t.name == "" {
		_, err := w.tree.Go(ctx, append(append([]string{"test", "-vet=off", "-run=^$"}, flags...), t.pkg)...)
		if err == nil {
			err = errors.New(t.pkg + " fails outside its tests")
		}
		return w.trouble(ctx, "", err)
	}
	var e Equality
	if err := compareAgain(ctx, w.sides[0], w.tree, differing{t, before[t], after[t]}, flags, &e); err != nil {
		return err
	}
	return w.trouble(ctx, strings.Join(e.Unequal, "; "), nil)
}

// runBenchmarks runs some operations of each benchmark with the witness form, and compares their
// results. If no results can be compared, it runs the benchmarks nevertheless, because a violation
// may be in code that no test reaches.
func (w *witness) runBenchmarks(ctx context.Context) error {
	w.Show.Stage("running the benchmark in the witness form")
	var e Equality
	for _, path := range w.paths {
		if !slices.Contains(w.Equal, CheckResults) {
			continue
		}
		if err := w.trouble(ctx, "", compareResults(ctx, w.sides[0], w.tree, path, w.all, &e)); err != nil {
			return err
		}
	}
	if len(e.Unequal) > 0 {
		return w.trouble(ctx, strings.Join(e.Unequal, "; "), nil)
	}
	if len(e.Done) > 0 {
		return nil
	}
	for _, b := range w.all {
		_, err := b.Run(ctx, w.tree, gobench.How{Time: gobench.Times(operations)})
		if err := w.trouble(ctx, "", err); err != nil {
			return err
		}
	}
	return nil
}

// operations is the number of operations that a benchmark runs in the witness form if no results
// can be compared.
const operations = 3
