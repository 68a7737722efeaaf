package change

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/fix/configs"
)

// everywhere asks all Go files that can be in one program with the package, whatever build takes them and whatever they import, and remembers
// the first answer by the question.
func (w *World) everywhere(question string, ask func(file string) string) (where string) {
	where, known := w.places[question]
	if known {
		return where
	}
	others := slices.DeleteFunc(w.present.Files(), w.set.Has) // of other modules of the workspace
	for _, name := range slices.Concat(w.set.Files(), others) {
		if where = ask(name); where != "" {
			break
		}
	}
	w.remember(question, where)
	return where
}

// imports returns the first of some packages that a file imports, or "".
func imports(file string, is func(path string) bool) string {
	parsed, _ := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.SkipObjectResolution) // as much as there is
	if parsed == nil {
		return ""
	}
	for _, spec := range parsed.Imports {
		if path, _ := strconv.Unquote(spec.Path.Value); is(path) {
			return path
		}
	}
	return ""
}

// Unsafe reports whether a file of the module imports unsafe.
func (w *World) Unsafe() bool {
	return w.everywhere("unsafe", func(file string) string {
		return imports(file, func(path string) bool { return path == "unsafe" })
	}) != ""
}

// Recovers says who may recover from a panic and tell its text: a file of the module, tests aside, or the standard library for it.
func (w *World) Recovers() (where string) {
	if where := w.printed(); where != "" {
		return "package fmt prints the text of a panic in a method like " + where
	}
	return w.recovering()
}

// recovering is Recovers without package fmt, which tells no more than the text.
func (w *World) recovering() (where string) {
	return w.everywhere("recovers", func(file string) string {
		if strings.HasSuffix(file, "_test.go") {
			return ""
		}
		all, err := configs.Mentions(file, "recover")
		if err != nil {
			return fmt.Sprintf("%s cannot be read: %v", filepath.Base(file), err)
		}
		if len(all) > 0 {
			return fmt.Sprintf("%s:%d", filepath.Base(file), all[0].Line)
		}
		if path := imports(file, tellsPanics); path != "" {
			return fmt.Sprintf("%s imports %s", filepath.Base(file), path)
		}
		return ""
	})
}

// tellsPanics tells packages of the standard library that recover from the panics of what they call, and write or return their texts. fmt does
// so for a few methods alone.
func tellsPanics(path string) bool {
	return slices.Contains([]string{"html/template", "log/slog", "net/http", "net/rpc", "text/template"}, path) || strings.HasPrefix(path, "net/http/")
}

// printed is where a type of some build has a method that printing calls, which recovers from its panics.
func (w *World) printed() (where string) {
	for _, method := range []string{"String", "GoString", "Error", "Format"} {
		if where == "" {
			where = w.Declares(method)
		}
	}
	return where
}
