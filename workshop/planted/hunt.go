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
)

// A hunt plants bugs in copies of the tree, one bug at a time in each copy.
type hunt struct {
	root  string
	jobs  int
	limit time.Duration // for the tests of one package
	out   io.Writer
}

// A tally is the result of a hunt.
type tally struct {
	caught   int
	survived []Bug
	broken   []error // bugs that cannot be used to check the tests
}

// all checks that the unchanged tree passes the tests, and then plants every bug. When ctx ends it
// returns early with the results so far.
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

// unplanted fails unless the unchanged tree passes all tests that must detect a bug.
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
		case v.hung:
			return fmt.Errorf("the tests took longer than %s with no bug planted, in %s; nothing else should run meanwhile", m.limit(h.limit), v.failed)
		case v != verdict{}:
			return fmt.Errorf("the tests fail with no bug planted (%s%s); make them pass first", v.failed, v.unbuilt)
		}
	}
	return nil
}

// one plants one bug, runs the tests, and removes the bug.
func (h hunt) one(ctx context.Context, folder string, b Bug) (verdict, error) {
	restore, err := plant(folder, b)
	if err != nil {
		return verdict{}, err
	}
	v, err := test(ctx, folder, b.Mode, h.limit, b.Tests)
	return v, errors.Join(err, restore())
}

// record counts a bug and prints its result. It fails if the output cannot be written.
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
	_, err := fmt.Fprintf(h.out, "%-8s  %-52s %5.1fs  %s\n", word, b.Name, took.Seconds(), detail)
	return err
}
