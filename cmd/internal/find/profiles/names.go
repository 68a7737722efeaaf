package profiles

import (
	"net/url"
	"strings"
)

// OfModule reports whether the package with the given import path belongs to the module.
func OfModule(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// Split splits the linker's name of a function into the import path and the function:
// gopkg.in/yaml%2ev3.(*Decoder).Decode is (*Decoder).Decode of gopkg.in/yaml.v3. Type arguments
// become [...], as in stack traces. The import path is empty for C functions, for assembly
// functions without a package, and for functions that the compiler generates (type:.eq.T).
func Split(name string) (path, function string) {
	if strings.HasPrefix(name, "type:") || strings.HasPrefix(name, "type..") || strings.HasPrefix(name, "go:") {
		return "", name
	}
	// Type arguments contain other import paths.
	head, _, _ := strings.Cut(name, "[")
	last := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[last:], '.')
	if dot <= 0 {
		return "", name
	}
	path, function = name[:last+dot], withoutArguments(name[last+dot+1:])
	// In the last path element, the linker escapes dots and everything except printable ASCII as
	// %xx.
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return path, function
}

// withoutArguments replaces type arguments by [...]. A profile has a name for each shape of a
// generic function, and one site covers all shapes.
func withoutArguments(function string) string {
	if !strings.Contains(function, "[") {
		return function
	}
	var b strings.Builder
	depth := 0
	for _, r := range function {
		if r == ']' {
			depth--
			if depth == 0 {
				b.WriteString("...")
			}
		}
		if depth <= 0 {
			b.WriteRune(r)
		}
		if r == '[' {
			depth++
		}
	}
	return b.String()
}
