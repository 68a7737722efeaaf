package change

import (
	"go/parser"
	"go/token"
	"slices"
	"strconv"
)

// everywhere asks all Go files that can be in one program with the package, whatever build takes them and whatever they import, and remembers
// the first answer by the question.
func (w *World) everywhere(question string, ask func(file string) string) (where string) {
	where, known := w.places[question]
	if known {
		return where
	}
	others := slices.DeleteFunc(w.present.Files(), w.set.Has) // of other modules of the workspace
	for _, name := range slices.Concat(w.set.Files(), others, w.set.Unlisted.Files(), w.set.Unlisted.Dark) {
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
