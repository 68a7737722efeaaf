package tidy

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// action matches a step of a GitHub Actions workflow that runs an action of another repository.
	action = regexp.MustCompile(`\buses:\s*['"]?([\w.-]+/[\w./-]+)@([^\s'"#]*)['"]?(.*)$`)
	// pinned matches the commit that must follow the @ of an action, and versioned matches the
	// comment with the version that must follow the commit.
	pinned    = regexp.MustCompile(`^[0-9a-f]{40}$`)
	versioned = regexp.MustCompile(`^\s+# v\d+(\.\d+)*\b`)
)

// movingActions requires that a workflow specifies each action that it runs by a commit, with the
// version in a comment. Tags and branches do not suffice, because the owner of an action can move
// them to other code.
func movingActions(t *Tree) (all []Complaint) {
	for _, f := range t.Text {
		if strings.HasPrefix(f.Path, "workshop/tidy/testdata/") {
			continue // these workflows are wrong on purpose
		}
		for i, line := range strings.Split(string(f.Data), "\n") {
			m := action.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			switch name, ref, rest := m[1], m[2], m[3]; {
			case !pinned.MatchString(ref):
				all = append(all, Complaint{f.Path, i + 1, fmt.Sprintf(
					"%s is taken at %q, which can move; name the 40 digits of a commit", name, ref)})
			case !versioned.MatchString(rest):
				all = append(all, Complaint{f.Path, i + 1, fmt.Sprintf(
					"%s has no version; write it after the commit, as # v1.2.3", name)})
			}
		}
	}
	return all
}
