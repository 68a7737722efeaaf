package tidy

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// brokenLinks requires that the target of every relative link in a document exists. It ignores code
// blocks.
func brokenLinks(t *Tree) (all []Complaint) {
	for doc := range t.documents() {
		code := false // whether the line is in a code block, where F[int](x) is not a link
		for i, line := range doc.lines() {
			if strings.HasPrefix(line, "```") {
				code = !code
			}
			if code {
				continue
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
					continue
				}
				target := path.Join(path.Dir(doc.Path), m[1])
				if _, err := fs.Stat(t.files, target); err != nil {
					all = append(all, Complaint{doc.Path, i + 1, fmt.Sprintf("link to %s leads nowhere; there is no %s", m[1], target)})
				}
			}
		}
	}
	return all
}

var (
	tableRule = regexp.MustCompile(`^\|[\s:|-]+\|$`)
	figure    = regexp.MustCompile(`\d`)
	command   = regexp.MustCompile("(^|`|\\$ )(make|go|coppice|binary-trees) [a-z./-]")
)

// tablesWithoutCommand requires that a section with a table of figures contains the command that
// generated the table. Documents in testdata are ignored.
func tablesWithoutCommand(t *Tree) (all []Complaint) {
	for doc := range t.documents() {
		if strings.Contains(doc.Path, "/testdata/") {
			continue
		}
		named := false // whether a command was named since the last heading
		before := ""   // previous line, because a command may continue on the next line
		lines := doc.lines()
		for i, line := range lines {
			if strings.HasPrefix(line, "#") {
				named, before = false, ""
			}
			text := strings.TrimSpace(line)
			named = named || command.MatchString(text) || command.MatchString(before+" "+text)
			before = text
			if tableRule.MatchString(line) && !named && mostlyFigures(lines[i+1:]) {
				all = append(all, Complaint{doc.Path, i + 1, "a table of figures with no command in its section; name the command that made it, above the table"})
			}
		}
	}
	return all
}

// mostlyFigures reports whether most cells in the body of a table contain a digit. The first cell
// of each row is ignored.
func mostlyFigures(body []string) bool {
	cells, figures := 0, 0
	for _, line := range body {
		if !strings.HasPrefix(line, "|") {
			break
		}
		row := strings.Split(strings.Trim(line, "|"), "|")
		for _, cell := range row[1:] {
			cells++
			if figure.MatchString(cell) {
				figures++
			}
		}
	}
	return 2*figures > cells
}

// foreign contains strings that tie the project to one machine or location. They are split in the
// source, so that this file does not contain them.
var foreign = []string{
	"/ro" + "ot/", "/ho" + "me/", "/wo" + "rk/", "../sha" + "red",
	"proxy.go" + "lang.org", "registry.npm" + "js", "py" + "pi.org", "crates" + ".io", "repo.mav" + "en",
}

func foreignPaths(t *Tree) (all []Complaint) {
	for _, f := range t.Text {
		if path.Base(f.Path) == "Cargo.lock" {
			continue // Cargo records the source of every package
		}
		for i, line := range strings.Split(string(f.Data), "\n") {
			for _, text := range foreign {
				if strings.Contains(line, text) {
					all = append(all, Complaint{f.Path, i + 1, fmt.Sprintf("%q ties the project to one machine; use a path from the root, or no host at all", text)})
				}
			}
		}
	}
	return all
}

// documents returns an iterator over the Markdown files of the tree.
func (t *Tree) documents() func(func(TextFile) bool) {
	return func(yield func(TextFile) bool) {
		for _, f := range t.Text {
			if path.Ext(f.Path) == ".md" && !yield(f) {
				return
			}
		}
	}
}

func (f TextFile) lines() []string { return strings.Split(string(f.Data), "\n") }
