package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// prepare creates the commit and the tags of a release. It does not push them, and prints the
// remaining steps.
func prepare(root, version string, stdout io.Writer) error {
	changed, err := git(root, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" {
		return fmt.Errorf("the working tree has changes (%s); commit them, or put them away with git stash -u", firstLine(changed))
	}
	tags, err := git(root, "tag", "--list", "v*")
	if err != nil {
		return err
	}
	for _, earlier := range strings.Fields(tags) {
		if semver.Compare(version, earlier) <= 0 {
			return fmt.Errorf("%s is out already; choose a version after it", earlier)
		}
	}
	if err := setVersions(root, version); err != nil {
		return err
	}
	if err := closeChangelog(filepath.Join(root, "CHANGELOG.md"), version, time.Now()); err != nil {
		return err
	}
	if _, err := git(root, "commit", "--all", "--message", "Release "+version); err != nil {
		return err
	}
	for _, folder := range released {
		if _, err := git(root, "tag", "--annotate", tag(folder, version), "--message", path(folder)+" "+version); err != nil {
			return err
		}
	}
	fmt.Fprintf(stdout, "%s is committed and tagged; nothing is pushed. When make check-all is green, push the library first:\n\n", version)
	fmt.Fprintln(stdout, "    git push origin HEAD")
	for _, folder := range released {
		fmt.Fprintf(stdout, "    git push origin %s\n", tag(folder, version))
	}
	fmt.Fprintf(stdout, "\nThe binaries, each with LICENSE and NOTICE:\n\n    make binaries VERSION=%s\n", version)
	return nil
}

// closeChangelog changes the changelog so that the unreleased changes belong to the version, and
// adds a new section for unreleased changes.
func closeChangelog(file, version string, now time.Time) error {
	const open = "## Unreleased\n"
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, after, found := strings.Cut(string(data), open)
	if !found {
		return errors.New(`CHANGELOG.md has no heading "## Unreleased"; add it above what has changed`)
	}
	heading := fmt.Sprintf("## %s, %s\n", version, now.Format(time.DateOnly))
	return os.WriteFile(file, []byte(before+open+"\n"+heading+after), 0o666)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
