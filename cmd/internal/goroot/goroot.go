// Package goroot determines whether an import path belongs to the standard library.
package goroot

import "strings"

// standard contains the first path elements of Go's standard library packages. Checking for a dot
// in the first element would not suffice, because the path of a module that a go.mod file replaces
// may also lack a dot.
var standard = map[string]bool{
	"": true, "C": true, "archive": true, "bufio": true, "builtin": true, "bytes": true, "cmd": true, "cmp": true, "compress": true, "container": true,
	"context": true, "crypto": true, "database": true, "debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true,
	"fmt": true, "go": true, "hash": true, "html": true, "image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true,
	"maps": true, "math": true, "mime": true, "net": true, "os": true, "path": true, "plugin": true, "reflect": true, "regexp": true, "runtime": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "structs": true, "sync": true, "syscall": true, "testing": true, "text": true,
	"time": true, "unicode": true, "unique": true, "unsafe": true, "uuid": true, "vendor": true, "weak": true,
}

// Has reports whether path belongs to the standard library. It also returns true for "", the path
// of predeclared objects.
func Has(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return standard[first]
}
