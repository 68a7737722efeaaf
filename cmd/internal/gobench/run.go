package gobench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/meter"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// Timeout is the maximum duration of one run of a program.
const Timeout = 10 * time.Minute

// A Run contains the results of one process of a test binary.
type Run struct {
	Samples []meter.Sample
	Figures map[string]float64 // figures of the whole process
}

// run runs a test binary in the folder of its package.
func (t *Tree) run(ctx context.Context, path, file string, env map[string]string, args ...string) (Run, error) {
	report := filepath.Join(t.Folder, "meter.jsonl")
	if err := os.Remove(report); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Run{}, err
	}
	with := map[string]string{meter.FileEnv: report}
	for name, value := range env {
		with[name] = value
	}
	out, err := t.Execute(ctx, path, file, with, append([]string{"-test.run=^$", "-test.count=1", "-test.benchmem"}, args...)...)
	switch {
	case err != nil:
		return Run{}, err
	case out.TimedOut:
		return Run{}, fmt.Errorf("%s in %s: a run took more than %v; choose fewer benchmarks with -bench", path, t.Name, Timeout)
	case out.Failure != "":
		return Run{}, fmt.Errorf("%s in %s: the benchmark fails: %s", path, t.Name, FailedLine(out.Stdout, out.Stderr, out.Failure))
	}
	t.readUnits(out.Stdout)
	r := Run{Figures: out.Figures}
	if t.Plain {
		r.Samples = plainSamples(out.Stdout)
		return r, nil
	}
	f, err := os.Open(report)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil // no benchmark ran
	}
	if err != nil {
		return r, err
	}
	defer f.Close()
	r.Samples, err = meter.Read(f)
	return r, err
}

// Inside reports whether the folder of a package is in the tree. Packages outside the tree are not
// copied.
func (t *Tree) Inside(path string) bool {
	_, inside := t.rel(path)
	return inside
}

// Outside returns a note for the user about a package outside the tree, whose test binary runs in
// the package's own folder.
func Outside(path, root string) string {
	return fmt.Sprintf("%s is outside %s, which is copied: it runs in its own folder, and what it writes stays there", path, root)
}

// rel returns the path of a package's folder relative to the root of the tree.
func (t *Tree) rel(path string) (rel string, inside bool) {
	rel, err := filepath.Rel(resolved(t.Root), resolved(t.Packages[path].Dir))
	return rel, err == nil && filepath.IsLocal(rel)
}

// resolved returns the path of a folder with symbolic links resolved.
func resolved(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Where returns the folder in which the test binary of a package runs. This is the folder of the
// package or, if the tree was copied, the copy of this folder.
func (t *Tree) Where(path string) string {
	if rel, inside := t.rel(path); inside && t.Copy.Root != "" {
		return filepath.Join(t.Copy.Root, rel)
	}
	return t.Packages[path].Dir
}

// Execute runs a test binary as go test does, in the folder of its package, but without the time
// limit of go test.
func (t *Tree) Execute(ctx context.Context, path, file string, env map[string]string, args ...string) (process.Outcome, error) {
	with := map[string]string{"GOROOT": t.Settings.GOROOT}
	maps.Copy(with, t.Extra)
	maps.Copy(with, env)
	return process.System{Dir: t.Where(path)}.Execute(ctx, process.Command{
		Args: append([]string{file, "-test.timeout=0"}, args...), Env: with, Timeout: Timeout,
	})
}

// FailedLine returns the most informative line in a failed test binary's output.
func FailedLine(stdout, stderr []byte, failure string) string {
	for line := range strings.Lines(string(stderr) + string(stdout)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "_test.go:") {
			return line
		}
	}
	return failure
}
