package remedy

import (
	"strings"
)

// Calls parses lines of the form "names | advice", and returns the advice for each name.
func Calls(text string) map[string]string {
	all := map[string]string{}
	for row := range strings.Lines(strings.TrimSpace(text)) {
		names, what, _ := strings.Cut(strings.TrimSpace(row), " | ")
		for _, name := range strings.Fields(names) {
			all[name] = what
		}
	}
	return all
}

// Callee returns the key of a function in the maps that Calls returns: package and name, or
// package, type and method. The name may be written as encoding/hex.EncodeToString,
// (*bytes.Buffer).String, bytes.(*Buffer).String or slices.Clone[...].
func Callee(name string) string {
	if i := strings.IndexByte(name, '['); i >= 0 {
		name = name[:i]
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	return strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
}
