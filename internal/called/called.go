// Package called names the function of a container that its user called, for panics far below it.
// To hand the name down would cost every call, and the panic alone needs it.
package called

import (
	"path"
	"regexp"
	"runtime"
	"strings"
)

// method matches a method of an exported type in the names that the runtime has for functions. A
// closure has the names of all that it is in, also of those that were inlined: the last method is
// the one.
var method = regexp.MustCompile(`\(\*([A-Z]\w*)(?:\[\.\.\.\])?\)\.([A-Z]\w*)`)

// Method returns the exported method by which the stack came into the package that calls Method,
// such as "btree.Map.Get", or the name of the package if there is none. It knows methods with
// pointer receivers. Tests of the package are not part of it. It costs a few microseconds.
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

// inside reports whether a frame is of the package in a folder, tests aside. A closure that was
// inlined has the name of another package, and the file of its own.
func inside(f runtime.Frame, folder string) bool {
	return path.Dir(f.File) == folder && !strings.HasSuffix(f.File, "_test.go")
}
