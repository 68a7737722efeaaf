package tidy

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// readme is the first page that a new user reads.
const readme = "README.md"

// mostWords is the maximum number of words in the README. mostFirst is the maximum number of words
// before the section that explains how to start, so that this section is on the first screen.
const (
	mostWords = 800
	mostFirst = 120
)

var (
	invisible = regexp.MustCompile("(?s)<!--.*?-->")
	start     = regexp.MustCompile("(?m)^## Start$")
)

// longReadme limits the length of the README and of its first screen. Other information belongs in
// docs.
func longReadme(t *Tree) (all []Complaint) {
	text := invisible.ReplaceAllString(string(t.text(readme)), "")
	if n := countWords(text); n > mostWords {
		all = append(all, Complaint{readme, 0, fmt.Sprintf("%d words outside of blocks of code, more than %d; move a section to docs and link to it", n, mostWords)})
	}
	if at := start.FindStringIndex(text); at != nil {
		if n := countWords(text[:at[0]]); n > mostFirst {
			all = append(all, Complaint{readme, 0, fmt.Sprintf("%d words before \"## Start\", more than %d; say less on the first screen", n, mostFirst)})
		}
	}
	return all
}

// countWords returns the number of space-separated words outside fenced code blocks that contain a
// letter or a digit.
func countWords(document string) (count int) {
	code := false
	for line := range strings.Lines(document) {
		switch {
		case strings.HasPrefix(line, "```"):
			code = !code
		case !code:
			for _, field := range strings.Fields(line) {
				if strings.ContainsFunc(field, readable) {
					count++
				}
			}
		}
	}
	return count
}

func readable(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	needsGo    = regexp.MustCompile(`\bneeds\s+Go\s+(\d+\.\d+)`) // the phrase may continue on the next line
	goOfModule = regexp.MustCompile(`(?m)^go (\d+\.\d+)`)
)

// otherGo requires that the README mentions the Go version that the library's module requires.
func otherGo(t *Tree) (all []Complaint) {
	module := goOfModule.FindSubmatch(t.text(libraryModule))
	if module == nil {
		return nil
	}
	text := string(t.text(readme))
	for _, at := range needsGo.FindAllStringSubmatchIndex(text, -1) {
		if asked := text[at[2]:at[3]]; asked != string(module[1]) {
			line := 1 + strings.Count(text[:at[0]], "\n")
			all = append(all, Complaint{readme, line, fmt.Sprintf("it needs Go %s, and go.mod says %s; write the version of go.mod", asked, module[1])})
		}
	}
	return all
}
