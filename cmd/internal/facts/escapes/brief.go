package escapes

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// LargeSource is how many bytes of source a package may have for the compiler to explain how its values come to escape. Those
// explanations grow faster than the source: hundreds of megabytes were seen, which took the compiler as long as all else.
var LargeSource = 500_000

// NoFlow is why the steps of an escape are not known in a large package.
const NoFlow = "the package is large, so the compiler says what escapes and not how"

// Large reports whether the folder of a file has much source. Where C is among it, the go command shortens what the compiler says
// of places, so that is not large.
func Large(file string) bool {
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*.go")) // a folder whose name is no pattern is not large
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

// A Spoken is an escape in a file, by its base name.
type Spoken struct {
	File string
	Escape
}

// Ask has the compiler say what escapes in large packages, in a line each. The go command keeps what it said, so that the second
// time costs nothing.
func Ask(ctx context.Context, dir string, env, flags, patterns []string, tests bool) (map[string][]Spoken, error) {
	args := []string{"list", "-e", "-export", "-f", "{{.ImportPath}}"}
	if tests {
		args = append(args, "-test")
	}
	args = append(append(append(args, flags...), "--"), patterns...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = dir, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err := process.Output(cmd); err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} // the loader says other errors once more
	return heard(stderr.String()), nil
}

// briefLine is a line of the compiler: x.go:5:2: &Node{...} escapes to heap, or x.y:7[/dir/x.go:5:2]: ... after a directive.
var briefLine = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?(?:\[(.+):(\d+):(\d+)\])?: (.+)$`)

// heard reads what the compiler says with -m=1 -L, and returns it by package. What it says of a call that it has inlined it says of the function, too.
func heard(text string) map[string][]Spoken {
	all := map[string][]Spoken{}
	path := ""
	inlined := map[string]bool{}
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
		file, number, column, message := m[1], m[2], m[3], m[7]
		if m[4] != "" {
			file, number, column = m[4], m[5], m[6]
		}
		at := fmt.Sprint(path, "\x00", file, ":", number, ":", column)
		if strings.HasPrefix(message, "inlining call to ") {
			inlined[at] = true
			continue
		}
		if name, ok := strings.CutPrefix(message, "moved to heap: "); ok {
			message = name + " escapes to heap"
		}
		own := strings.HasPrefix(message, "... argument ") || strings.HasPrefix(message, "~r")
		if !strings.HasSuffix(message, " escapes to heap") || inlined[at] && !own {
			continue
		}
		e := Escape{Message: message}
		e.Line, _ = strconv.Atoi(number)
		e.Column, _ = strconv.Atoi(column)
		all[path] = append(all[path], Spoken{filepath.Base(file), e})
	}
	return all
}
