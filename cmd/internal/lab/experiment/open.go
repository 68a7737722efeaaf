package experiment

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// Open reads all experiments of the repository in a folder, as Load does, but skips files that git
// ignores, because a build may leave copies of declarations there.
func Open(root string) ([]Experiment, error) {
	tree := os.DirFS(root)
	names, err := files(tree)
	if err != nil {
		return nil, err
	}
	ignored := ignored(root, names)
	return load(tree, slices.DeleteFunc(names, func(name string) bool { return slices.Contains(ignored, name) }))
}

// ignored returns the files that git ignores. It returns none if git is not installed or root is
// not in a repository.
func ignored(root string, names []string) []string {
	if len(names) == 0 {
		return nil
	}
	cmd := exec.Command("git", "check-ignore", "-z", "--stdin")
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(strings.Join(names, "\x00"))
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		return nil // git also fails if no file is ignored
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\x00"), "\x00")
}
