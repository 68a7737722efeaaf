package tidy

import (
	"fmt"
	"regexp"
	"strings"
)

// readme is the page that a stranger sees first.
const readme = "README.md"

// mostWords is how long it may be: what a stranger reads before a first try. Blocks of code are not counted.
const mostWords = 900

// longReadme bounds the README. What does not fit has its place in docs.
func longReadme(t *Tree) (all []Complaint) {
	if n := words(string(t.text(readme))); n > mostWords {
		all = append(all, Complaint{readme, 0, fmt.Sprintf("%d words outside of blocks of code, more than %d; move a section to docs and link to it", n, mostWords)})
	}
	return all
}

// words counts what stands between spaces outside of fenced blocks, the marks of tables and lists too.
func words(document string) (count int) {
	code := false
	for line := range strings.Lines(document) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case !code:
			count += len(strings.Fields(line))
		}
	}
	return count
}

var (
	needsGo    = regexp.MustCompile(`\bneeds Go (\d+\.\d+)`)
	goOfModule = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
)

// otherGo wants the README to ask for the Go that the library's module asks for.
func otherGo(t *Tree) (all []Complaint) {
	module := goOfModule.FindSubmatch(t.text(productModules[0]))
	if module == nil {
		return nil
	}
	for i, line := range strings.Split(string(t.text(readme)), "\n") {
		if m := needsGo.FindStringSubmatch(line); m != nil && m[1] != string(module[1]) {
			all = append(all, Complaint{readme, i + 1, fmt.Sprintf("it needs Go %s, and go.mod says %s; write the version of go.mod", m[1], module[1])})
		}
	}
	return all
}
