package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// hinted adds to an error the probably intended name of a benchmark, of a folder among the
// packages, or of a revision.
func hinted(ctx context.Context, err error, bench string, patterns []string, base string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, find.ErrNoBenchmark), errors.Is(err, prove.ErrNoBenchmark):
		return extended{err, cmp.Or(meantBenchmark(bench, patterns), elsewhere(patterns))}
	case errors.Is(err, prove.ErrNoRevision):
		return extended{err, cli.Meant(base, trees.Refs(ctx, "."))}
	case errors.Is(err, find.ErrNone), strings.Contains(err.Error(), "no Go files in"): // the latter is from the go command
		return extended{err, elsewhere(patterns)}
	case strings.HasSuffix(err.Error(), "directory not found"): // from the go command
		for _, p := range patterns {
			if near := meantFolder(p); near != "" {
				return extended{err, near}
			}
		}
	}
	return err
}

// extended is an error with a hint after its text.
type extended struct {
	error
	hint string
}

func (e extended) Error() string { return e.error.Error() + e.hint }
func (e extended) Unwrap() error { return e.error }

// meantBenchmark returns the hint for a pattern that matches nothing. It returns "" unless the
// pattern looks like the name of a benchmark.
func meantBenchmark(pattern string, packages []string) string {
	const word = "Benchmark"
	first, _, _ := strings.Cut(strings.Trim(pattern, "^$"), "/")
	names := benchmarksOf(packages)
	if !strings.HasPrefix(first, word) {
		for i, name := range names {
			names[i] = strings.TrimPrefix(name, word)
		}
	}
	return cli.Meant(first, names)
}

// elsewhere returns the hint for packages without benchmarks if folders below have some.
func elsewhere(patterns []string) string {
	folders := benchmarkFolders()
	if len(folders) == 0 || len(benchmarksOf(patterns)) > 0 {
		return ""
	}
	return "; " + haveSome(folders)
}

// meantFolder returns the hint for a nonexistent folder with a name similar to an existing one; it
// returns "" for existing folders and for import paths.
func meantFolder(pattern string) string {
	dir := strings.TrimSuffix(strings.TrimSuffix(pattern, "..."), "/")
	if !strings.HasPrefix(dir, ".") {
		return ""
	}
	return cli.NearFolder(dir)
}
