// Package vetreport writes the findings of `coppice vet`.
//
//	vetreport.go   lines in the format of compilers
//	json.go        the same as one JSON object
//	sarif.go       the same as SARIF 2.1.0, which code hosts and editors read
package vetreport

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/vetrun"
)

// most is the maximum number of errors that are shown for a package. The compiler has the same
// limit.
const most = 10

// Text writes one line for each finding. A path is written relative to dir if this is shorter.
func Text(w io.Writer, dir string, findings []vetrun.Finding) error {
	var out strings.Builder
	for _, f := range findings {
		at := f.Position
		at.Filename = shorter(dir, at.Filename)
		fmt.Fprintf(&out, "%s: %s (%s)\n", at, f.Message, f.Rule) // without a column where a //line directive gives none
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Troubles returns one line for each error, followed by one line for each package that was not
// analyzed. A path is written relative to dir if this is shorter.
func Troubles(dir string, all []vetrun.Trouble) (lines []string) {
	said := map[string]bool{}
	say := func(format string, args ...any) {
		if line := fmt.Sprintf(format, args...); !said[line] {
			said[line] = true
			lines = append(lines, line)
		}
	}
	for _, t := range all {
		what := "package " + t.Package + " does not compile"
		if t.Imports != "" {
			what = "package " + t.Imports + " cannot be imported"
			if wanted(all, t.Imports) {
				continue // reported with its own trouble
			}
		}
		for i, m := range t.Mistakes {
			if i == most {
				say("%s: and %d more errors", what, len(t.Mistakes)-most)
				break
			}
			m.Position.Filename = shorter(dir, m.Position.Filename)
			say("%s: %s", what, m)
		}
	}
	for _, t := range all {
		say("not analyzed: %s", notLookedAt(t))
	}
	return lines
}

// wanted reports whether all contains a trouble that the package with the given path causes itself,
// rather than by importing another package.
func wanted(all []vetrun.Trouble, path string) bool {
	for _, t := range all {
		if t.Package == path && t.Imports == "" {
			return true
		}
	}
	return false
}

// notLookedAt describes the package that was not analyzed because of a trouble.
func notLookedAt(t vetrun.Trouble) string {
	what := "package " + t.Package
	if t.Tests {
		what = "the tests of package " + t.Package
	}
	if t.Imports != "" && t.Imports != t.Package {
		what += ", which imports " + t.Imports
	}
	return what
}

// shorter returns name relative to dir if this is shorter, and name otherwise.
func shorter(dir, name string) string {
	if relative, err := filepath.Rel(dir, name); err == nil && name != "" && len(relative) < len(name) {
		return relative
	}
	return name
}
