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

// ErrNoGit reports that git is not installed.
var ErrNoGit = errors.New("git not found; install it, or name a folder with -base DIR")

// git runs git in a folder and returns what it prints.
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

// NoRevisions returns the reason that the revisions of a repository cannot be used, as git states
// it, and with the command that git advises. It returns nil if the revisions can be used, and
// outside a repository. Without this check, it would only seem that a revision is missing.
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

// saidByGit condenses git's output to one line: the reason, and the command that it advises.
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

// describe returns the revision of a folder, and whether its files differ from that revision.
// Outside a repository the revision is empty.
func describe(ctx context.Context, dir string) (revision string, dirty bool) {
	out, err := git(ctx, dir, nil, "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "", false
	}
	changes, err := git(ctx, dir, nil, "status", "--porcelain")
	return strings.TrimSpace(string(out)), err != nil || len(bytes.TrimSpace(changes)) > 0
}

// checkOut writes the files of a revision to a folder. It does not change the repository, because
// git uses a separate index, next to the folder.
func checkOut(ctx context.Context, root, commit, into string) error {
	index := []string{"GIT_INDEX_FILE=" + into + ".index"}
	defer os.Remove(into + ".index")
	if _, err := git(ctx, root, index, "read-tree", commit); err != nil {
		return err
	}
	_, err := git(ctx, root, index, "checkout-index", "--all", "--force", "--prefix="+into+"/")
	return err
}

// listed returns the names of a tree's files, relative to its root. followed are the files that git
// tracks, and others are all other files. A name may stand for a folder with such files. Outside a
// repository, git tracks none.
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

// inRepository reports whether a folder is the root of a git working tree.
func inRepository(ctx context.Context, root string) bool {
	out, err := git(ctx, root, nil, "rev-parse", "--show-cdup")
	return err == nil && len(bytes.TrimSpace(out)) == 0
}

// Apply applies a patch to the files of a tree. Names in the patch are relative to the tree's root
// or to its folder Dir. It changes all files of the patch or none.
func Apply(ctx context.Context, t Tree, patch string) error {
	err := applyIn(ctx, t.Root, patch)
	if err != nil && t.Dir != t.Root && applyIn(ctx, t.Dir, patch) == nil {
		return nil
	}
	return err
}

func applyIn(ctx context.Context, root, patch string) error {
	// Git would leave out the files silently if it took the folder for a part of a repository.
	outside := []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(root), "GIT_DIR=" + filepath.Join(root, ".no-repository")}
	if _, err := git(ctx, root, outside, "apply", "--whitespace=nowarn", patch); err != nil {
		text := strings.TrimPrefix(err.Error(), "git apply: ")
		return fmt.Errorf("%s does not apply: %s; create it again from the current tree", filepath.Base(patch), strings.TrimPrefix(text, "error: "))
	}
	return nil
}
