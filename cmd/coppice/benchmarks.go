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

// benchmarks returns the names of the benchmarks in the files of a folder, sorted. With /... at the
// end of the pattern, it includes the folders below the folder. Unreadable files are treated as
// empty, because the callers (completion, and the help without arguments) cannot report errors. It
// only reads files, and builds nothing.
func benchmarks(pattern string) (names []string) {
	eachBenchmark(pattern, func(_, name string) { names = append(names, name) })
	slices.Sort(names)
	return slices.Compact(names)
}

// benchmarkFolders returns the folders below the current one that have benchmarks, as arguments for
// a command.
func benchmarkFolders() (folders []string) {
	eachBenchmark("./...", func(file, _ string) { folders = append(folders, "./"+filepath.ToSlash(filepath.Dir(file))) })
	slices.Sort(folders)
	return slices.Compact(folders)
}

// eachBenchmark yields the file and the name of each benchmark.
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

// benchmarksOf returns the benchmarks of several patterns, in the order of the patterns.
func benchmarksOf(patterns []string) (names []string) {
	for _, p := range patterns {
		names = append(names, benchmarks(p)...)
	}
	return names
}

// isModule reports whether a folder is the root of a nested module, and therefore does not belong
// to the module around it.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// ignored reports whether the go command ignores folders of this name.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}
