package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// pairs is the number of rounds in which same compares a module with itself.
const pairs = "100"

// compareCopy compares a module with a copy of itself that differs only in a comment. It runs
// coppice prove and writes the CPU times to NAME.jsonl. It returns the command. If the parameter
// only is true, same does not run the command. A test in cmd/internal/prove/measure draws
// measurement sessions from such files, which are in its testdata.
func (j *judge) compareCopy(ctx context.Context, m module, only bool) (string, error) {
	fmt.Fprintf(j.stderr, "%s: a copy\n", m.name)
	folder, err := j.copy(ctx, m)
	if err == nil {
		err = comment(filepath.Join(folder, filepath.FromSlash(m.pkg)))
	}
	if err != nil {
		return "", err
	}
	out := filepath.Join(j.out, m.name+"-same")
	args := []string{"prove", "-base", "HEAD", "-rounds", pairs, "-equal", "none", "-out", out, "-bench", m.bench, m.pkg}
	command := fmt.Sprintf("cd %s && %s %s", folder, j.coppice, quoted(args))
	if only {
		return command, nil
	}
	if err := os.RemoveAll(out); err != nil {
		return "", err
	}
	fmt.Fprintf(j.stderr, "%s: coppice %s\n", m.name, quoted(args))
	cmd := exec.CommandContext(ctx, j.coppice, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, j.stderr, j.stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) { // an exit code is a verdict, and the runs were recorded
		return "", err
	}
	return command, cpuTimes(filepath.Join(out, "runs.jsonl"), filepath.Join(j.out, m.name+".jsonl"))
}

// comment appends a comment to a source file of the package in the folder, preferably a test.
func comment(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	slices.SortStableFunc(files, func(a, b string) int { // test files first: no other package imports them
		return b2i(strings.HasSuffix(b, "_test.go")) - b2i(strings.HasSuffix(a, "_test.go"))
	})
	if len(files) == 0 {
		return fmt.Errorf("%s has no source files", folder)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	return os.WriteFile(files[0], append(text, "\n// This line is the difference of the two commits.\n"...), 0o644)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A timed describes a run in the output of same: the side, the round, and the CPU time of an
// operation.
type timed struct {
	Side    int                `json:"side"`
	Round   int                `json:"round"`
	Figures map[string]float64 `json:"figures"`
}

// cpuTimes copies the CPU times of runs from one file to another. from and to are the file names.
func cpuTimes(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	out := json.NewEncoder(&kept)
	n := 0
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); n++ {
		var r timed
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		cpu, ok := r.Figures["cpu"]
		if !ok {
			return fmt.Errorf("%s: run %d has no CPU time", from, n)
		}
		r.Figures = map[string]float64{"cpu": cpu}
		if err := out.Encode(r); err != nil {
			return err
		}
	}
	if n == 0 {
		return fmt.Errorf("%s: there are no runs", from)
	}
	return os.WriteFile(to, kept.Bytes(), 0o644)
}
