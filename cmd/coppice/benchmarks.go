package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// benchmarkLine matches the first line of a benchmark function in gofmt-formatted source.
var benchmarkLine = regexp.MustCompile(`(?m)^func (Benchmark[\p{L}\p{N}_]*)\(\w+ \*testing\.B\)`)

// benchmarks returns the sorted names of the benchmarks in the folder that pattern names. If
// pattern ends in /..., subfolders are included. Unreadable files are treated as empty, because the
// callers (completion, and the help without arguments) cannot report errors. benchmarks only reads
// files; it builds nothing.
func benchmarks(pattern string) (names []string) {
	eachBenchmark(pattern, func(_, name string) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// benchmarkFolders returns the folders with benchmarks at or below the current folder, as arguments
// for the go command.
func benchmarkFolders() (folders []string) {
	eachBenchmark("./...", func(file, _ string) { folders = append(folders, "./"+filepath.ToSlash(filepath.Dir(file))) })
	slices.Sort(folders)
	return slices.Compact(folders)
}

// eachBenchmark calls yield with the file and the name of each benchmark in the folders that
// pattern matches.
func eachBenchmark(pattern string, yield func(file, name string)) {
	dir, below := strings.CutSuffix(pattern, "...")
	dir = filepath.Clean(dir)
	_ = filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && name != dir && (!below || ignored(entry.Name()) || isModule(name)):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return nil
		}
		for _, m := range benchmarkLine.FindAllSubmatch(data, -1) {
			yield(name, string(m[1]))
		}
		return nil
	})
}

// benchmarksOf returns the names of the benchmarks that match any of the patterns, in the order of
// the patterns.
func benchmarksOf(patterns []string) (names []string) {
	for _, p := range patterns {
		names = append(names, benchmarks(p)...)
	}
	return names
}

// isModule reports whether a subfolder has its own go.mod file, and therefore does not belong to
// the enclosing module.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// ignored reports whether the go command ignores folders with the given name.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}
