package trees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ErrNoGit is the error that is returned if the git command is not found.
var ErrNoGit = errors.New("git not found; install it, or name a folder with -base DIR")

// git runs the git command in the folder dir and returns its standard output.
func git(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), append(env, "GIT_OPTIONAL_LOCKS=0")...) // queries must not write
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrNoGit
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return nil, fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(first, "fatal: "))
	}
	return out, nil
}

// NoRevisions returns an error if the revisions of the repository that contains dir cannot be used.
// The error contains the reason that git states and the command that git recommends. NoRevisions
// returns nil if the revisions can be used or if dir is outside a repository. Without this check,
// the user would only be told that a revision is unknown.
func NoRevisions(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--is-shallow-repository")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case err == nil && strings.TrimSpace(string(out)) == "true":
		return errors.New("git: this clone is shallow, so it contains only some revisions; run git fetch --unshallow (in GitHub Actions, set fetch-depth: 0 for actions/checkout)")
	case err == nil, errors.Is(err, exec.ErrNotFound), ctx.Err() != nil, strings.Contains(stderr.String(), "not a git repository"):
		return nil
	}
	return saidByGit(stderr.String())
}

// saidByGit returns an error that condenses git's error output to one line: the reason, and the
// command that git recommends, if any.
func saidByGit(stderr string) error {
	reason, rest, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	reason = "git: " + strings.TrimPrefix(reason, "fatal: ")
	for line := range strings.Lines(rest) {
		if command, ok := strings.CutPrefix(line, "\tgit "); ok {
			return fmt.Errorf("%s; run git %s", reason, strings.TrimSpace(command))
		}
	}
	return errors.New(reason)
}

// describe returns the revision that is checked out in the repository that contains dir, and
// whether files differ from that revision. Outside a repository the revision is empty.
func describe(ctx context.Context, dir string) (revision string, dirty bool) {
	out, err := git(ctx, dir, nil, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", false
	}
	changes, err := git(ctx, dir, nil, "status", "--porcelain")
	return strings.TrimSpace(string(out)), err != nil || len(bytes.TrimSpace(changes)) > 0
}

// checkOut writes the files of a commit to the folder whose path is into. It does not change the
// repository: git uses a separate index, in a file next to the folder.
func checkOut(ctx context.Context, root, commit, into string) error {
	index := []string{"GIT_INDEX_FILE=" + into + ".index"}
	defer os.Remove(into + ".index")
	if _, err := git(ctx, root, index, "read-tree", commit); err != nil {
		return err
	}
	_, err := git(ctx, root, index, "checkout-index", "--all", "--force", "--prefix="+into+"/")
	return err
}

// listed returns the names of the tree's files, relative to its root. followed lists the files that
// git tracks, and others lists all other files. A name may also denote a folder, which stands for
// all files in it. Outside a repository, git tracks no files.
func (t Tree) listed(ctx context.Context) (followed, others []string, err error) {
	if !inRepository(ctx, t.Root) {
		return nil, []string{"."}, nil
	}
	for kind, names := range map[string]*[]string{"--cached": &followed, "--others": &others} {
		out, err := git(ctx, t.Root, nil, "ls-files", "-z", kind)
		if err != nil {
			return nil, nil, err
		}
		for name := range strings.SplitSeq(string(out), "\x00") {
			if name != "" {
				*names = append(*names, filepath.FromSlash(strings.TrimSuffix(name, "/")))
			}
		}
	}
	return followed, others, nil
}

// inRepository reports whether the folder root is the root of a git working tree.
func inRepository(ctx context.Context, root string) bool {
	out, err := git(ctx, root, nil, "rev-parse", "--show-cdup")
	return err == nil && len(bytes.TrimSpace(out)) == 0
}

// Apply applies a patch to the files of the tree. patch is the name of the patch file. Names in the
// patch are relative to t.Root or to t.Dir. If Apply fails, it changes no files.
func Apply(ctx context.Context, t Tree, patch string) error {
	err := applyIn(ctx, t.Root, patch)
	if err != nil && t.Dir != t.Root && applyIn(ctx, t.Dir, patch) == nil {
		return nil
	}
	return err
}

func applyIn(ctx context.Context, root, patch string) error {
	// If git found a repository that encloses this folder, it would silently skip the files.
	outside := []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(root), "GIT_DIR=" + filepath.Join(root, ".no-repository")}
	if _, err := git(ctx, root, outside, "apply", "--whitespace=nowarn", patch); err != nil {
		text := strings.TrimPrefix(err.Error(), "git apply: ")
		return fmt.Errorf("%s does not apply: %s; create it again from the current tree", filepath.Base(patch), strings.TrimPrefix(text, "error: "))
	}
	return nil
}
