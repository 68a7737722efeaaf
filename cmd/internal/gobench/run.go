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

	"github.com/coppice-go/coppice/cmd/internal/lab/runner"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// Timeout is how long one run of a program may take.
const Timeout = 10 * time.Minute

// A Run is one process of a test binary.
type Run struct {
	Samples []meter.Sample
	Figures map[string]float64 // of the process
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

// Execute runs a test binary as go test does, in the folder of its package, but without its time limit.
func (t *Tree) Execute(ctx context.Context, path, file string, env map[string]string, args ...string) (runner.Outcome, error) {
	with := map[string]string{"GOROOT": t.settings.GOROOT}
	maps.Copy(with, t.Extra)
	maps.Copy(with, env)
	return runner.Process{Dir: t.Packages[path].Dir}.Execute(ctx, runner.Command{
		Args: append([]string{file, "-test.timeout=0"}, args...), Env: with, Timeout: Timeout,
	})
}

// FailedLine is the line of a failed test binary that says most.
func FailedLine(stdout, stderr []byte, failure string) string {
	for line := range strings.Lines(string(stderr) + string(stdout)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "_test.go:") {
			return line
		}
	}
	return failure
}
