package fix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// prove compares the tree with the files in before to the tree with the files in after. Each step
// is proven against the steps that were kept earlier, so a step is never kept for a gain that an
// earlier step achieved. If witness contains files in witness form, these run first, because tests
// and results often agree in spite of a race (docs/decisions/0039).
func (l *loop) prove(ctx context.Context, number int, before, after, witness map[string][]byte) (*prove.Result, error) {
	path, err := l.Scratch.Fresh("step") // all steps use one folder, so that the go command can use its build cache
	if err != nil {
		return nil, err
	}
	o := prove.Options{
		Dir: l.Dir, Bench: gobench.Pattern(l.result.Target.Name), Packages: []string{l.result.Target.Package}, Procs: l.Procs,
		Rounds: l.Rounds, Most: l.Most, MinEffect: l.MinEffect, Goal: "cpu", Equal: l.Equal, Changed: l.tests, Vet: true,
		Tool: l.Tool, Show: numbered{l.Show, l.stepName(number)}, Scratch: &trees.Scratch{Path: path},
	}
	head, err := l.patchFile(ctx, filepath.Join(path, l.stepName(number)), after)
	if err != nil {
		return nil, err
	}
	o.Patches = []string{head}
	o.Toolchains = slices.Contains(l.Builds, find.BuildNewest)
	if len(before) > 0 {
		if o.Kept, err = l.patchFile(ctx, filepath.Join(path, "what was kept before"), before); err != nil {
			return nil, err
		}
	}
	if len(witness) > 0 {
		if o.Witness, err = l.patchFile(ctx, filepath.Join(path, "the witness form"), witness); err != nil {
			return nil, err
		}
	}
	r, err := prove.Benchmarks(ctx, o)
	if err == nil && len(r.Comparisons) == 0 {
		err = errors.New("nothing was compared")
	}
	return r, err
}

// stepName returns the name of a step in messages.
func (l *loop) stepName(number int) string {
	if number == 0 {
		return "all that was kept"
	}
	return fmt.Sprintf("step %d", number)
}

// patchFile writes a patch to a file, and returns the name of that file. The patch changes the
// original tree: it gives the files their new contents.
func (l *loop) patchFile(ctx context.Context, name string, files map[string][]byte) (string, error) {
	diff, err := l.diff(ctx, nil, files)
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, []byte(diff), 0o666)
}

// noRace returns the reason why the race detector is not available, or "" if it is available. It is
// called before the first step, because otherwise each step would fail after minutes for an
// unrelated reason.
func noRace(ctx context.Context, dir string) string {
	cmd := exec.CommandContext(ctx, "go", "list", "-race", "-f", "{{.Name}}", "runtime/race")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return strings.TrimSpace(stderr.String())
	}
	cmd = exec.CommandContext(ctx, "go", "env", "CC")
	cmd.Dir = dir
	out, err := cmd.Output()
	if words := strings.Fields(string(out)); err == nil && len(words) > 0 && runtime.GOOS != "darwin" {
		if _, err := exec.LookPath(words[0]); err != nil {
			return "no C compiler " + words[0]
		}
	}
	return ""
}

// numbered reports progress with the number of the step.
type numbered struct {
	prove.Progress
	step string
}

func (n numbered) Stage(what string) { n.Progress.Stage(n.step + ": " + what) }

func (n numbered) Round(round, of, runs int, what string) {
	n.Progress.Round(round, of, runs, n.step+": "+what)
}

// sums returns the SHA-256 sums of the original files that are changed. The keys are names relative
// to the root; the sum of a new file is "". coppice fix -apply compares these sums first, so that
// it never overwrites an edit that the user made in the meantime.
func (l *loop) sums(files map[string][]byte) (map[string]string, error) {
	all := map[string]string{}
	for name := range files {
		rel, err := l.rel(name)
		if err != nil {
			return nil, err
		}
		if all[rel], err = FileSum(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// FileSum returns the SHA-256 sum of a file, or "" if the file does not exist.
func FileSum(name string) (string, error) {
	sum, err := gobench.HashFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return sum, err
}
