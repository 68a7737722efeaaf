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

	"github.com/coppice-go/coppice/internal/progress"
)

// A hunt plants bugs in copies of the tree, one bug at a time in each copy.
type hunt struct {
	root  string
	jobs  int
	limit time.Duration // for the tests of one package
	out   io.Writer
	bar   progress.Bar
}

// A tally is what a hunt came to.
type tally struct {
	caught   int
	survived []Bug
	broken   []error // bugs that are no test of the tests
}

// all makes sure that the tree passes the tests as it is, and then plants every bug. It
// returns early, with what is done, when ctx ends.
func (h hunt) all(ctx context.Context, bugs []Bug) (t tally, err error) {
	folder, err := os.MkdirTemp("", "coppice-planted-")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copies := make([]string, min(h.jobs, len(bugs)))
	for i := range copies {
		copies[i] = filepath.Join(folder, strconv.Itoa(i))
		if err := copyTree(ctx, h.root, copies[i]); err != nil {
			return t, err
		}
	}
	if err := h.unplanted(ctx, copies[0], bugs); err != nil {
		return t, err
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	waiting := slices.Clone(bugs)
	next := func() (b Bug, ok bool) {
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
				v, broken := h.one(ctx, c, b)
				mu.Lock()
				if ctx.Err() == nil {
					err = errors.Join(err, h.record(&t, b, v, broken, time.Since(start)))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return t, errors.Join(err, ctx.Err())
}

// unplanted fails unless the tree as it is passes all tests that must notice a bug.
func (h hunt) unplanted(ctx context.Context, folder string, bugs []Bug) error {
	for _, m := range modes {
		var packages []string
		for _, b := range bugs {
			if b.Mode == m {
				packages = append(packages, b.Tests...)
			}
		}
		slices.Sort(packages)
		packages = slices.Compact(packages)
		if len(packages) == 0 {
			continue
		}
		v, err := test(ctx, folder, m, h.limit, packages)
		switch {
		case err != nil:
			return err
		case v != verdict{}:
			return fmt.Errorf("the tests fail with no bug planted (%s%s); make them pass first", v.failed, v.unbuilt)
		}
	}
	return nil
}

// one plants one bug, runs the tests, and takes the bug out again.
func (h hunt) one(ctx context.Context, folder string, b Bug) (verdict, error) {
	restore, err := plant(folder, b)
	if err != nil {
		return verdict{}, err
	}
	v, err := test(ctx, folder, b.Mode, h.limit, b.Tests)
	return v, errors.Join(err, restore())
}

// record counts a bug and prints what became of it. It fails if the output is gone.
func (h hunt) record(t *tally, b Bug, v verdict, broken error, took time.Duration) error {
	word, detail := "caught", v.failed
	switch {
	case broken == nil && v.unbuilt != "":
		broken = fmt.Errorf("it does not compile, so no test can notice it: %s", v.unbuilt)
	case broken == nil && v.hung:
		broken = fmt.Errorf("the tests took longer than %v, so none says what is wrong; plant one that ends", h.limit)
	}
	switch {
	case broken != nil:
		word, detail = "broken", strings.ReplaceAll(broken.Error(), "\n", "; ")
		t.broken = append(t.broken, fmt.Errorf("%s: %w", b.Name, broken))
	case v.failed == "":
		word, detail = "SURVIVED", b.Promise
		t.survived = append(t.survived, b)
	default:
		t.caught++
	}
	h.bar.Step(b.Name)
	_, err := fmt.Fprintf(h.bar.Over(h.out), "%-8s  %-52s %5.1fs  %s\n", word, b.Name, took.Seconds(), detail)
	return err
}
