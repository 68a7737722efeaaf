package runner

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// A Source describes the source tree from which contenders are built.
type Source struct {
	Root     string // the folder in which commands run
	Revision string // "" without git
	Dirty    bool   // the tree has uncommitted changes

	// Build contains environment variables that make builds reproducible, independently of time and
	// revision: Go programs do not contain the revision, and C compilers use a fixed time if a
	// program asks for the time of its compilation.
	Build map[string]string
}

// SourceOf asks git and the go command for the properties of the tree below root. Changes in the
// results folder are ignored.
func SourceOf(ctx context.Context, x process.Executor, root, results string) Source {
	s := Source{Root: root}
	flags, _ := ask(ctx, x, "go", "env", "GOFLAGS")
	s.Build = map[string]string{
		"GOFLAGS":           strings.TrimSpace(flags + " -buildvcs=false"),
		"SOURCE_DATE_EPOCH": "315532800", // 1980, the first year that zip archives can represent
	}
	revision, ok := ask(ctx, x, "git", "rev-parse", "--short=12", "HEAD")
	if !ok {
		return s
	}
	status := []string{"git", "status", "--porcelain", "--", "."}
	if below, err := filepath.Rel(root, results); results != "" && err == nil && filepath.IsLocal(below) && below != "." {
		status = append(status, ":(exclude)"+filepath.ToSlash(below))
	}
	if changes, ok := ask(ctx, x, status...); ok {
		s.Revision, s.Dirty = revision, changes != ""
	}
	return s
}

// ask returns the first line that a command prints. ok is false if the command fails.
func ask(ctx context.Context, x process.Executor, args ...string) (line string, ok bool) {
	out, err := process.Succeed(ctx, x, process.Command{Args: args, Env: map[string]string{"GIT_OPTIONAL_LOCKS": "0"}, Timeout: process.AnswerTime})
	return process.FirstLine(out.Stdout), err == nil
}

// Tree returns the revision, with a plus sign if the tree has uncommitted changes. It returns "" if
// the revision is unknown.
func (s Source) Tree() string {
	if s.Revision != "" && s.Dirty {
		return s.Revision + "+"
	}
	return s.Revision
}
