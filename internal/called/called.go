// Package called determines which exported method of a container the user has called, so that the
// message of a panic in an internal function can begin with the name of that method. Passing the
// name to internal functions would instead slow down every call, although only a panic needs the
// name.
package called

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// method matches an exported method of an exported type in the name of a runtime.Frame. The name of
// a closure contains the names of all enclosing functions, including inlined ones; the last method
// in it is the relevant one.
var method = regexp.MustCompile(`\(\*([A-Z]\w*)(?:\[\.\.\.\])?\)\.([A-Z]\w*)`)

// Method returns the name of the exported method through which the call stack entered the package
// that calls Method, such as "btree.Map.Get". If there is none, it returns the name of the package.
// Only methods with pointer receivers are recognized. Tests of the package are not considered part
// of the package. A call takes a few microseconds.
func Method() string {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	f, more := frames.Next()
	folder := path.Dir(f.File)
	pkg := strings.SplitN(path.Base(f.Function), ".", 2)[0]
	name := pkg
	for inside(f, folder) {
		if all := method.FindAllStringSubmatch(f.Function, -1); all != nil {
			last := all[len(all)-1]
			name = pkg + "." + last[1] + "." + last[2]
		}
		if !more {
			break
		}
		f, more = frames.Next()
	}
	return name
}

// inside reports whether a frame belongs to the package in a folder, excluding tests. It compares
// the names of files rather than of functions, because the function name of an inlined closure may
// contain another package, whereas its file name is always the file in which it was declared.
func inside(f runtime.Frame, folder string) bool {
	return path.Dir(f.File) == folder && !strings.HasSuffix(f.File, "_test.go")
}
