package trees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// A File contains the contents of a file before and after a change.
type File struct {
	Before, After []byte
	New           bool // whether the file did not exist before
}

// Diff returns the changes to files as a patch in git diff format. The keys of files are
// slash-separated file names relative to the root of a tree. Diff writes temporary files to folder.
func Diff(ctx context.Context, folder string, files map[string]File) (string, error) {
	dir, err := os.MkdirTemp(folder, "diff")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	for _, side := range []string{"a", "b"} {
		if err := os.Mkdir(filepath.Join(dir, side), 0o777); err != nil {
			return "", err
		}
		for name, f := range files {
			content := f.After
			if side == "a" {
				content = f.Before
			}
			if f.New && side == "a" {
				continue
			}
			file := filepath.Join(dir, side, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				return "", err
			}
			if err := os.WriteFile(file, content, 0o666); err != nil {
				return "", err
			}
		}
	}
	form := "--text"
	for _, f := range files {
		if bytes.IndexByte(f.Before, 0) >= 0 || bytes.IndexByte(f.After, 0) >= 0 {
			form = "--binary"
		}
	}
	cmd := exec.CommandContext(ctx, "git", "-c", "core.quotePath=false", "-c", "core.autocrlf=false", "-c", "core.attributesFile=",
		"diff", "--no-index", "--no-prefix", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", form, "--unified=3", "a", "b")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+folder, "GIT_DIR="+filepath.Join(dir, "none"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrNoGit
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() == 1 && len(exit.Stderr) == 0: // the files differ
	case err != nil:
		return "", fmt.Errorf("git diff: %w", err)
	}
	return string(onlyNew.ReplaceAll(out, []byte("diff --git a/"))), nil
}

// onlyNew matches the start of the diff header of a new file. For a new file, git prints the new
// name twice, both times with the prefix b/.
var onlyNew = regexp.MustCompile(`(?m)^diff --git b/`)
