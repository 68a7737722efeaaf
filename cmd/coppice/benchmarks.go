package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// benchmarkLine is the first line of a benchmark, as gofmt writes it.
var benchmarkLine = regexp.MustCompile(`(?m)^func (Benchmark[\p{L}\p{N}_]*)\(\w+ \*testing\.B\)`)

// benchmarks returns the names of the benchmarks in the files of a folder, sorted, or with /... of those below it too. What cannot be
// read has none: a shell that completes a line, and coppice alone, have nobody to tell. It reads files, and builds nothing.
func benchmarks(pattern string) (names []string) {
	dir, below := strings.CutSuffix(pattern, "...")
	dir = filepath.Clean(dir)
	_ = filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && name != dir && (!below || ignored(entry.Name())):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		for _, m := range benchmarkLine.FindAllSubmatch(data, -1) {
			names = append(names, string(m[1]))
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// benchmarksOf returns those of several patterns, in their order.
func benchmarksOf(patterns []string) (names []string) {
	for _, p := range patterns {
		names = append(names, benchmarks(p)...)
	}
	return names
}

// ignored reports whether the go command ignores folders of this name.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}
