package reach

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// watchers contains patterns for the packages that expose the call stack or function names, and for
// the identifiers of the functions that do so. Package log/slog is included because its records
// contain the name of the logging function.
var watchers = []struct{ path, words *regexp.Regexp }{
	{imports("runtime"), regexp.MustCompile(`\b(Caller|Callers|CallersFrames|FuncForPC|Stack|MemProfile|GoroutineProfile|BlockProfile|MutexProfile|ThreadCreateProfile)\b`)},
	{imports("runtime/debug"), regexp.MustCompile(`\b(Stack|PrintStack)\b`)},
	{imports("log"), regexp.MustCompile(`(?m)\bOutput($|\($|[^(]|\([^)])`)}, // Output() is a method of exec.Cmd
	{imports("log/slog"), imports("log/slog")},
	{imports("runtime/pprof"), imports("runtime/pprof")},
	{imports("runtime/trace"), imports("runtime/trace")},
	{imports("net/http/pprof"), imports("net/http/pprof")},
}

// imports returns a pattern that matches an import of the package path, under any name.
func imports(path string) *regexp.Regexp {
	return regexp.MustCompile("[\"`]" + regexp.QuoteMeta(path) + "[\"`]")
}

// Watched returns the first position in the module at which code may observe the call stack or the
// name of a function, or "" if there is none. It searches the files of all builds, except tests. It
// only searches for identifiers and does not follow calls, because any package may call any other.
func (m *Module) Watched() (where string) {
	for _, f := range m.files {
		if !strings.HasSuffix(f.name, ".go") || strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f.name)
		if err != nil {
			return err.Error()
		}
		for _, w := range watchers {
			if at := w.words.FindIndex(data); at != nil && w.path.Match(data) {
				return fmt.Sprintf("%s:%d", filepath.Base(f.name), 1+bytes.Count(data[:at[0]], []byte("\n")))
			}
		}
	}
	return ""
}
