package change

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// embedding is the prefix of the directive that lists the files that a package embeds.
const embedding = "//go:embed"

// DataOf returns the Go file that embeds a file, in any build, even if the embedded file does not
// exist yet. It returns "" if there is none. A pattern matches files in the package's folder and
// below, within the module.
func DataOf(name string) (by string, err error) {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		files, err := filepath.Glob(filepath.Join(escaped(dir), "*.go"))
		if err != nil {
			return "", err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return "", err
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // a link may have no target
				return "", err
			}
			if embeds(data, filepath.ToSlash(rel)) {
				return file, nil
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil || filepath.Dir(dir) == dir {
			return "", nil
		}
	}
}

// escaped returns a pattern that matches only the given path.
func escaped(name string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(name)
}

// embeds reports whether a Go file, given its source, embeds the named file or a folder that
// contains it. The name is relative to the folder of the Go file. A matching line in a string
// literal is treated as a directive, too.
func embeds(source []byte, name string) bool {
	for line := range bytes.Lines(source) {
		patterns, ok := strings.CutPrefix(strings.TrimSpace(string(line)), embedding)
		for ok {
			var pattern string
			if pattern, patterns, ok = nextPattern(patterns); ok && covers(strings.TrimPrefix(pattern, "all:"), name) {
				return true
			}
		}
	}
	return false
}

// nextPattern splits a line after its first pattern, which is a word or a Go string literal.
func nextPattern(line string) (pattern, rest string, ok bool) {
	line = strings.TrimSpace(line)
	if quoted, err := strconv.QuotedPrefix(line); err == nil {
		pattern, err = strconv.Unquote(quoted)
		return pattern, line[len(quoted):], err == nil
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		end = len(line)
	}
	return line[:end], line[end:], line != ""
}

// covers reports whether a pattern matches a file or a folder that contains it.
func covers(pattern, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		if matched, _ := path.Match(pattern, name); matched {
			return true
		}
	}
	return pattern == "."
}
