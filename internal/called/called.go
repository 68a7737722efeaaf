// Package called determines which function of a container the user called, so that a panic in a
// function far below it can name that function. Passing the name down instead would add a cost to
// every call, although only a panic needs the name.
package called

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// method matches a method of an exported type in the function names of the runtime. The name of a
// closure contains the names of all enclosing functions, including inlined ones; the last method is
// the relevant one.
var method = regexp.MustCompile(`\(\*([A-Z]\w*)(?:\[\.\.\.\])?\)\.([A-Z]\w*)`)

// Method returns the exported method through which the call stack entered the package that calls
// Method, such as "btree.Map.Get", or the name of the package if there is none. It recognizes
// methods with pointer receivers. Tests of the package are not considered part of it. It costs a
// few microseconds.
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
// files because an inlined closure can have the name of another package, but has the file that it
// was declared in.
func inside(f runtime.Frame, folder string) bool {
	return path.Dir(f.File) == folder && !strings.HasSuffix(f.File, "_test.go")
}
