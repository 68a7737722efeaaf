package reach

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Declares returns where a type of the loaded packages has a method of that name; empty if none has.
func (m *Module) Declares(method string) (where string) {
	for _, fn := range m.functions {
		if fn.Name() == method && fn.Synthetic == "" && fn.Signature.Recv() != nil {
			return m.place(fn.Pos())
		}
	}
	return ""
}

// watchers are the packages that show the functions on the stack and what functions are called, and the words for that. A record of log/slog
// has the name of the function that logs.
var watchers = []struct{ path, words *regexp.Regexp }{
	{regexp.MustCompile(`"runtime"`), regexp.MustCompile(`\b(Caller|Callers|CallersFrames|FuncForPC|Stack)\b`)},
	{regexp.MustCompile(`"runtime/debug"`), regexp.MustCompile(`\b(Stack|PrintStack)\b`)},
	{regexp.MustCompile(`"log"`), regexp.MustCompile(`\bOutput($|\($|[^(]|\([^)])`)}, // Output() is that of a command
	{regexp.MustCompile(`"log/slog"`), regexp.MustCompile(`"log/slog"`)},
}

// Watched returns the first place of the module, tests aside and files of all builds included, that may see which functions are on the stack,
// or what a function is called; empty if there is none. It looks for words, because any package may be below a call.
func (m *Module) Watched() (where string) {
	for _, f := range m.files {
		if !strings.HasSuffix(f.name, ".go") || strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		for _, w := range watchers {
			if grep(f.name, w.path) == 0 {
				continue
			}
			if line := grep(f.name, w.words); line > 0 {
				return fmt.Sprintf("%s:%d", filepath.Base(f.name), line)
			}
		}
	}
	return ""
}

// Recovers returns where the module may recover from a panic; empty if it does nowhere, tests aside.
func (m *Module) Recovers() (where string) {
	for _, fn := range m.functions {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(ssa.CallInstruction)
				if !ok || m.inTest(fn) {
					continue
				}
				if builtin, ok := call.Common().Value.(*ssa.Builtin); ok && builtin.Name() == "recover" {
					return m.placeOf(i)
				}
			}
		}
	}
	return ""
}
