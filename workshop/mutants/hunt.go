package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coppice-go/coppice/workshop/internal/worktree"
)

// A hunt inserts mutants into copies of the tree, one mutant at a time in each copy.
type hunt struct {
	root  string
	jobs  int
	limit time.Duration // time limit for the tests of one package
	usual bool          // run the tests at default size, unless a mutant asks for the full size
	out   io.Writer
}

// A tally counts the results of a hunt.
type tally struct {
	caught   int      // number of mutants caught, including those caught only at full size
	inFull   []string // mutants that were caught only at full size, each with the test that caught it
	flaky    []string // tests that caught a mutant only at the second try, each with the mutant
	unsteady []string // tests that failed once without a mutant
	survived []Mutant
	broken   []error // mutants that cannot be used to check the tests
}

// applied returns the number of mutants that were applied.
func (t tally) applied() int { return t.caught + len(t.flaky) + len(t.survived) + len(t.broken) }

// summary formats the lists and the last line that a hunt prints.
func (t tally) summary(of int, took time.Duration) string {
	var out strings.Builder
	section := func(title string, lines []string) {
		if len(lines) > 0 {
			fmt.Fprintf(&out, "\n%s\n    %s\n", title, strings.Join(lines, "\n    "))
		}
	}
	section("Only tests of the full size notice these; add the line \"size: full\" to each mutant:", t.inFull)
	section("These tests notice a mutant only sometimes; make them certain:", t.flaky)
	section("These tests failed once without a mutant, and then passed; make them deterministic:", t.unsteady)
	if len(t.survived) > 0 {
		fmt.Fprintln(&out, "\nNo test notices these; write the one that does:")
		list(t.survived, &out)
	}
	fmt.Fprintf(&out, "%d of %d mutants tried in %.0fs: %d caught, %d flaky, %d survived, %d broken\n",
		t.applied(), of, took.Seconds(), t.caught, len(t.flaky), len(t.survived), len(t.broken))
	return out.String()
}

// runAll runs the hunt. It checks that the unchanged tree passes the tests, and then tries every
// mutant. If ctx is canceled, it returns early with the results so far.
func (h hunt) runAll(ctx context.Context, mutants []Mutant) (t tally, err error) {
	if len(mutants) == 0 {
		return t, nil
	}
	folder, err := os.MkdirTemp("", "coppice-mutants-")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copies := make([]string, min(h.jobs, len(mutants)))
	for i := range copies {
		copies[i] = filepath.Join(folder, strconv.Itoa(i))
		if err := worktree.Copy(ctx, h.root, copies[i]); err != nil {
			return t, err
		}
	}
	if t.unsteady, err = h.unchanged(ctx, copies[0], mutants); err != nil {
		return t, err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	waiting := slices.Clone(mutants)
	next := func() (b Mutant, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(waiting) == 0 || ctx.Err() != nil || err != nil {
			return b, false
		}
		b, waiting = waiting[0], waiting[1:]
		return b, true
	}
	for _, c := range copies {
		wg.Go(func() {
			for b, ok := next(); ok; b, ok = next() {
				start := time.Now()
				r, broken := h.runOne(ctx, c, b)
				mu.Lock()
				if ctx.Err() == nil {
					err = errors.Join(err, h.record(&t, b, r, broken, time.Since(start)))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return t, errors.Join(err, ctx.Err())
}

// size returns the size at which the tests of a mutant run.
func (h hunt) size(b Mutant) Size {
	switch {
	case b.Size != AnySize:
		return b.Size
	case h.usual:
		return UsualSize
	default:
		return FullSize
	}
}

// unchanged returns an error unless the unchanged tree passes all tests that must detect a mutant.
// Tests that fail get a second try. The result unsteady lists the tests that failed only on the
// first try.
func (h hunt) unchanged(ctx context.Context, folder string, mutants []Mutant) (unsteady []string, err error) {
	for _, m := range modes {
		for _, size := range sizes {
			var packages []string
			for _, b := range mutants {
				if b.Mode == m && h.size(b) == size {
					packages = append(packages, b.Tests...)
				}
			}
			slices.Sort(packages)
			packages = slices.Compact(packages)
			if len(packages) == 0 {
				continue
			}
			s := setting{mode: m, size: size, limit: h.limit}
			v, err := test(ctx, folder, s, packages)
			if err == nil && v.failed != "" && v.unbuilt == "" {
				first := v
				if v, err = test(ctx, folder, s, packages); err == nil && v.failed == "" {
					unsteady = append(unsteady, first.failed+" of "+first.of)
				}
			}
			switch {
			case err != nil:
				return nil, err
			case v.unbuilt != "":
				return nil, fmt.Errorf("the tests do not compile even without a mutant: %s", v.unbuilt)
			case v.hung:
				return nil, fmt.Errorf("the tests took longer than %s even without a mutant, twice, in %s of %s; see -timeout", h.limit, v.failed, v.of)
			case v.failed != "":
				return nil, fmt.Errorf("the tests fail even without a mutant, twice (%s of %s); make them pass first", v.failed, v.of)
			}
		}
	}
	return unsteady, nil
}

// A result is the outcome of the last run of the tests for a mutant.
type result struct {
	verdict
	second bool // the tests caught the mutant only at the second try
	inFull bool // the tests caught the mutant only at full size
}

// runOne processes a single mutant. It applies the mutant, runs the tests, and removes the mutant.
// If the tests do not catch the mutant, they run once more. If they pass at their default size both
// times, they also run at full size.
func (h hunt) runOne(ctx context.Context, folder string, b Mutant) (r result, err error) {
	restore, err := apply(folder, b)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, restore()) }()
	s := setting{mode: b.Mode, size: h.size(b), limit: h.limit}
	r.verdict, err = test(ctx, folder, s, b.Tests)
	if err != nil || r.caught() || r.unbuilt != "" {
		return r, err
	}
	r.verdict, err = test(ctx, folder, s, b.Tests)
	r.second = r.caught()
	if err != nil || r.verdict != (verdict{}) || b.Size != AnySize || s.size == FullSize {
		return r, err
	}
	s.size = FullSize
	r.verdict, err = test(ctx, folder, s, b.Tests)
	r.inFull = r.caught()
	return r, err
}

// record counts a mutant and prints its result. It returns an error if the output cannot be
// written.
func (h hunt) record(t *tally, b Mutant, r result, broken error, took time.Duration) error {
	switch {
	case broken == nil && r.unbuilt != "":
		broken = fmt.Errorf("it does not compile, so no test can notice it: %s", r.unbuilt)
	case broken == nil && r.hung:
		broken = fmt.Errorf("the tests took longer than %v, so no test shows what is wrong; write a mutant that ends", h.limit)
	}
	word, detail := "caught", r.failed
	switch {
	case broken != nil:
		word, detail = "broken", strings.ReplaceAll(broken.Error(), "\n", "; ")
		t.broken = append(t.broken, fmt.Errorf("%s: %w", b.Name, broken))
	case r.failed == "":
		word, detail = "SURVIVED", b.Promise
		t.survived = append(t.survived, b)
	case r.second:
		word = "flaky"
		t.flaky = append(t.flaky, fmt.Sprintf("%s of %s: %s", r.failed, r.of, b.Name))
	case r.inFull:
		detail += " (full size only)"
		t.caught++
		t.inFull = append(t.inFull, fmt.Sprintf("%s: %s", b.Name, r.failed))
	default:
		t.caught++
	}
	_, err := fmt.Fprintf(h.out, "%-8s  %-52s %5.1fs  %s\n", word, b.Name, took.Seconds(), detail)
	return err
}
