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

// LargeSource is the source size, in bytes, above which a package is treated as large. For a large
// package, the compiler is not asked to explain why values escape, because these explanations grow
// faster than the source. In one case they took hundreds of megabytes, and the compiler needed as
// much time for them as for all its other work.
var LargeSource = 500_000

// NoFlow explains, in results, why the steps of an escape are unknown for a large package.
const NoFlow = "the package is large, so the compiler reports what escapes, but not how"

// Large reports whether the package in the folder of file is larger than LargeSource. Packages that
// use cgo are never treated as large, because the go command shortens the positions in the
// compiler's messages about them.
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

// A Spoken is an escape together with the base name of its source file.
type Spoken struct {
	File string
	Escape
}

// Ask runs the compiler on large packages and returns the values that escape, by package. The
// compiler prints one line for each value.
func Ask(ctx context.Context, dir string, env, flags, patterns []string, tests bool) (map[string][]Spoken, error) {
	if tests {
		flags = append([]string{"-test"}, flags...)
	}
	text, err := ask(ctx, dir, env, flags, patterns)
	return heard(text), err
}

// Remarks returns the compiler's messages about a package's values and about inlined calls in the
// package. If the package does not compile, there are no messages.
func Remarks(ctx context.Context, dir string, env []string, pkgPath string) ([]Remark, error) {
	text, err := ask(ctx, dir, env, []string{"-gcflags=" + pkgPath + "=-m=1 -L"}, []string{pkgPath})
	return remarks(text)[pkgPath], err
}

// ask runs the compiler and returns its messages. The go command caches them, so repeating a call
// costs almost nothing.
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

// briefLine matches a compiler message, such as x.go:5:2: &Node{...} escapes to heap or, after a
// //line directive, x.y:7[/dir/x.go:5:2]: ...
var briefLine = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?(?:\[(.+):(\d+):(\d+)\])?: (.+)$`)

// A Remark is one message that the compiler prints with -m=1 -L. A message about an inlined
// function has the position of the call.
type Remark struct {
	File         string // file name that the compiler prints
	Line, Column int
	Message      string
}

// remarks parses the compiler's messages and groups them by package.
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

// Inlined returns the name of the inlined function if r reports that a call was inlined.
func (r Remark) Inlined() (name string, ok bool) {
	return strings.CutPrefix(r.Message, "inlining call to ")
}

// heard returns the compiler's messages about escaping values, by package. It omits messages at the
// position of an inlined call, because the compiler repeats them for the inlined function itself.
func heard(text string) map[string][]Spoken {
	all := map[string][]Spoken{}
	for path, said := range remarks(text) {
		inlined := map[Remark]bool{} // positions of inlined calls
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
