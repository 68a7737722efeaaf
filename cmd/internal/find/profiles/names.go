package profiles

import (
	"net/url"
	"strings"
)

// OfModule reports whether an import path belongs to the module.
func OfModule(importPath, module string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

// Split splits a function's name as the linker writes it into import path and function:
// gopkg.in/yaml%2ev3.(*Decoder).Decode is (*Decoder).Decode of gopkg.in/yaml.v3. Type arguments
// become [...], as in stack traces. The import path is empty for C functions, for assembly
// without a package, and for functions that the compiler generates (type:.eq.T).
func Split(name string) (path, function string) {
	if strings.HasPrefix(name, "type:") || strings.HasPrefix(name, "type..") || strings.HasPrefix(name, "go:") {
		return "", name
	}
	// Type arguments contain import paths of their own.
	head, _, _ := strings.Cut(name, "[")
	last := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[last:], '.')
	if dot <= 0 {
		return "", name
	}
	path, function = name[:last+dot], withoutArguments(name[last+dot+1:])
	// The linker escapes dots of the last element, and everything but printable ASCII, as %xx.
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return path, function
}

// withoutArguments replaces type arguments in brackets, because a profile names each shape of a
// generic function, and one site covers all of them.
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
