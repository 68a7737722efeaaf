// Package goroot recognizes the packages of the standard library.
package goroot

import "strings"

// standard contains the first elements of the paths of Go's standard library. A module outside it
// may also have a path without a dot, if a go.mod replaces that module.
var standard = map[string]bool{
	"": true, "C": true, "archive": true, "bufio": true, "builtin": true, "bytes": true, "cmd": true, "cmp": true, "compress": true, "container": true,
	"context": true, "crypto": true, "database": true, "debug": true, "embed": true, "encoding": true, "errors": true, "expvar": true, "flag": true,
	"fmt": true, "go": true, "hash": true, "html": true, "image": true, "index": true, "internal": true, "io": true, "iter": true, "log": true,
	"maps": true, "math": true, "mime": true, "net": true, "os": true, "path": true, "plugin": true, "reflect": true, "regexp": true, "runtime": true,
	"slices": true, "sort": true, "strconv": true, "strings": true, "structs": true, "sync": true, "syscall": true, "testing": true, "text": true,
	"time": true, "unicode": true, "unique": true, "unsafe": true, "uuid": true, "vendor": true, "weak": true,
}

// Has reports whether a path belongs to a package of the standard library. It also returns true for
// "", the path of what the language itself declares.
func Has(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return standard[first]
}
