package escapes

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// LargeSource is the size of a package's source, in bytes, above which the compiler does not
// explain how its values come to escape. These explanations grow faster than the source. In one
// case they took hundreds of megabytes, and the compiler needed as much time for them as for all
// its other work.
var LargeSource = 500_000

// NoFlow is the reason that the steps of an escape are not known in a large package.
const NoFlow = "the package is large, so the compiler reports what escapes, but not how"

// Large reports whether the folder of a file has more source than LargeSource. A folder with cgo is
// never treated as large, because there the go command shortens the positions in the compiler's
// messages.
func Large(file string) bool {
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go")) // a folder whose name is not a valid pattern counts as small
	size := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || bytes.Contains(text, []byte("import \"C\"")) {
			return false
		}
		size += len(text)
	}
	return size > LargeSource
}

// A Spoken is an escape with the base name of its file.
type Spoken struct {
	File string
	Escape
}

// Ask lets the compiler report what escapes in large packages, one line for each value.
func Ask(ctx context.Context, dir string, env, flags, patterns []string, tests bool) (map[string][]Spoken, error) {
	if tests {
		flags = append([]string{"-test"}, flags...)
	}
	text, err := ask(ctx, dir, env, flags, patterns)
	return heard(text), err
}

// Remarks lets the compiler report what it does with the values of a package, and which calls it
// inlines. There are no messages about a package that does not compile.
func Remarks(ctx context.Context, dir string, env []string, pkgPath string) ([]Remark, error) {
	text, err := ask(ctx, dir, env, []string{"-gcflags=" + pkgPath + "=-m=1 -L"}, []string{pkgPath})
	return remarks(text)[pkgPath], err
}

// ask returns the messages of the compiler. The go command caches them, so that the second call
// costs nothing.
func ask(ctx context.Context, dir string, env, flags, patterns []string) (string, error) {
	args := []string{"list", "-e", "-export", "-f", "{{.ImportPath}}"}
	args = append(append(append(args, flags...), "--"), patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := process.Output(cmd); err != nil && ctx.Err() != nil {
		return "", context.Cause(ctx)
	} // the loader reports other errors again
	return stderr.String(), nil
}

// briefLine is a line of the compiler: x.go:5:2: &Node{...} escapes to heap, or after a directive
// x.y:7[/dir/x.go:5:2]: ...
var briefLine = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?(?:\[(.+):(\d+):(\d+)\])?: (.+)$`)

// A Remark is a line of the compiler's output with -m=1 -L. If it is about a function that was
// inlined, it has the position of the call.
type Remark struct {
	File         string // as the compiler names it
	Line, Column int
	Message      string
}

// remarks reads the messages of the compiler, and returns them by package.
func remarks(text string) map[string][]Remark {
	all := map[string][]Remark{}
	path := ""
	for row := range strings.Lines(text) {
		row = strings.TrimSuffix(row, "\n")
		if header, ok := strings.CutPrefix(row, "# "); ok {
			path, _, _ = strings.Cut(header, " ")
			continue
		}
		m := briefLine.FindStringSubmatch(row)
		if m == nil {
			continue
		}
		file, number, column := m[1], m[2], m[3]
		if m[4] != "" {
			file, number, column = m[4], m[5], m[6]
		}
		r := Remark{File: file, Message: m[7]}
		r.Line, _ = strconv.Atoi(number)
		r.Column, _ = strconv.Atoi(column)
		all[path] = append(all[path], r)
	}
	return all
}

// Inlined returns the name of the function that is inlined according to a remark.
func (r Remark) Inlined() (name string, ok bool) {
	return strings.CutPrefix(r.Message, "inlining call to ")
}

// heard returns the compiler's messages about values that escape. It omits messages at the place of
// an inlined call, because the compiler also prints them for the function itself.
func heard(text string) map[string][]Spoken {
	all := map[string][]Spoken{}
	for path, said := range remarks(text) {
		inlined := map[Remark]bool{} // by place
		for _, r := range said {
			at := Remark{File: r.File, Line: r.Line, Column: r.Column}
			if _, ok := r.Inlined(); ok {
				inlined[at] = true
				continue
			}
			message := r.Message
			if name, ok := strings.CutPrefix(message, "moved to heap: "); ok {
				message = name + " escapes to heap"
			}
			own := strings.HasPrefix(message, "... argument ") || strings.HasPrefix(message, "~r")
			if !strings.HasSuffix(message, " escapes to heap") || inlined[at] && !own {
				continue
			}
			all[path] = append(all[path], Spoken{filepath.Base(r.File), Escape{Line: r.Line, Column: r.Column, Message: message}})
		}
	}
	return all
}
