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

// hinted adds a hint to an error if it can. The hint is the name of the benchmark, folder or
// revision that the user probably meant, or a list of folders that have benchmarks.
func hinted(ctx context.Context, err error, bench string, patterns []string, base string) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, find.ErrNoBenchmark), errors.Is(err, prove.ErrNoBenchmark):
		return extended{err, cmp.Or(meantBenchmark(bench, patterns), elsewhere(patterns))}
	case errors.Is(err, prove.ErrNoRevision):
		return extended{err, cli.Meant(base, trees.Refs(ctx, "."))}
	case errors.Is(err, find.ErrNone), strings.Contains(err.Error(), "no Go files in"): // the second message is from the go command
		return extended{err, elsewhere(patterns)}
	case strings.HasSuffix(err.Error(), "directory not found"): // message of the go command
		for _, p := range patterns {
			if near := meantFolder(p); near != "" {
				return extended{err, near}
			}
		}
	}
	return err
}

// extended is an error whose message ends with a hint.
type extended struct {
	error
	hint string
}

func (e extended) Error() string { return e.error.Error() + e.hint }
func (e extended) Unwrap() error { return e.error }

// meantBenchmark returns a hint for a pattern that matches no benchmark. The hint names the
// benchmark that the user probably meant. It is "" unless the pattern looks like the name of a
// benchmark.
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

// elsewhere returns a hint for packages without benchmarks, which lists the subfolders that have
// benchmarks. It returns "" if no subfolder has any.
func elsewhere(patterns []string) string {
	folders := benchmarkFolders()
	if len(folders) == 0 || len(benchmarksOf(patterns)) > 0 {
		return ""
	}
	return "; " + haveSome(folders)
}

// meantFolder returns a hint for a folder that does not exist, which names an existing folder with
// a similar name. It returns "" for existing folders and for import paths.
func meantFolder(pattern string) string {
	dir := strings.TrimSuffix(strings.TrimSuffix(pattern, "..."), "/")
	if !strings.HasPrefix(dir, ".") {
		return ""
	}
	return cli.NearFolder(dir)
}
