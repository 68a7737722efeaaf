package runs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// A Program is a main package with its arguments. The program is changed to write its own profiles
// when main ends or os.Exit is called.
type Program struct {
	Tree    *gobench.Tree // source tree without a meter
	Package gobench.Package
	Args    []string
	Dir     string // folder in which the program runs
	Name    string // name in messages, such as ./cmd/x -v

	own   wrap.Changes
	file  string
	first float64 // CPU seconds per run
}

// These environment variables tell a changed program which files to write. Without them, the
// program behaves as usual.
const (
	cpuEnv     = "COPPICE_RUN_CPU"
	heapEnv    = "COPPICE_RUN_HEAP"
	figuresEnv = "COPPICE_RUN_FIGURES"
)

// errLost means that a program exited without running the code that was added to package main.
var errLost = errors.New("the program exited before writing its profiles: probably a package other than main called os.Exit or log.Fatal; return from main instead")

// Build builds the program with the code that writes profiles.
func (s *Program) Build(ctx context.Context) (err error) {
	if s.own, err = end(s.Package); err != nil {
		return err
	}
	s.file, err = s.build(ctx, s.own, filepath.Join(s.Tree.Folder, "program"))
	return err
}

// build builds the program with the given changes. It writes its files to folder, and returns the
// name of the binary.
func (s *Program) build(ctx context.Context, c wrap.Changes, folder string) (file string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	replace, err := c.Write(folder)
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(struct{ Replace map[string]string }{replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		return "", err
	}
	file = filepath.Join(folder, "program.exe") // other systems ignore the extension
	_, err = s.Tree.Go(ctx, "build", "-buildvcs=false", "-overlay", overlay, "-o", file, s.Package.ImportPath)
	return file, err
}

// Label returns the program's name for messages.
func (s *Program) Label() string { return s.Name }

// Operations returns 1, because a run of the program is one operation.
func (s *Program) Operations() int { return 1 }

// Limit does nothing, because a run is always a single operation.
func (s *Program) Limit(int) {}

// run runs the given binary of the program on one processor, with env added to the environment.
func (s *Program) run(ctx context.Context, file string, env map[string]string) (process.Outcome, error) {
	with := map[string]string{"GOMAXPROCS": "1"}
	maps.Copy(with, env)
	out, err := process.System{Dir: s.Dir}.Execute(ctx, process.Command{Args: append([]string{file}, s.Args...), Env: with, Timeout: gobench.Timeout})
	switch {
	case err != nil:
		return out, err
	case out.TimedOut:
		return out, fmt.Errorf("%s took more than %v; choose arguments with which it ends sooner", s.Name, gobench.Timeout)
	case out.Failure != "":
		return out, fmt.Errorf("%s fails: %s", s.Name, errorMessage(out))
	}
	return out, nil
}

// errorMessage returns the error message of a program that failed.
func errorMessage(out process.Outcome) string {
	return gobench.FailedLine(nil, out.Stderr, gobench.Complaint(out.Stderr, errors.New(out.Failure)))
}

// Calibrate runs the program once, to measure its CPU time.
func (s *Program) Calibrate(ctx context.Context) error {
	figures, err := s.Figures(ctx, nil)
	s.first = figures["cpu"]
	return err
}

// Figures runs the program, and returns its metrics.
func (s *Program) Figures(ctx context.Context, env map[string]string) (map[string]float64, error) {
	file := filepath.Join(s.Tree.Folder, "figures")
	with := map[string]string{figuresEnv: file}
	maps.Copy(with, env)
	text, cpu, err := s.written(ctx, file, with)
	if err != nil {
		return nil, err
	}
	var allocs, bytes, cycles float64
	if _, err := fmt.Sscan(string(text), &allocs, &bytes, &cycles); err != nil {
		return nil, fmt.Errorf("%s wrote unexpected figures: %q", s.Name, text)
	}
	figures := map[string]float64{
		"operations": 1, "wall": cpu["wall"], "cpu": cpu["cpu"], "process": cpu["cpu"],
		"allocs": allocs, "bytes": bytes, "cycles": cycles,
	}
	if rss := cpu["rss"]; rss > 0 {
		figures["rss"] = rss
	}
	return figures, nil
}

// written runs the program, and returns the contents of a file that the program writes and the
// metrics of the process.
func (s *Program) written(ctx context.Context, file string, env map[string]string) ([]byte, map[string]float64, error) {
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, err
	}
	out, err := s.run(ctx, s.file, env)
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s: %w", s.Name, errLost)
	}
	return text, out.Figures, err
}

// Profile records a CPU profile of one run. The profile starts with the first variable of package
// main that is initialized, and ends with main.
func (s *Program) Profile(ctx context.Context, _ int) (*profile.Profile, error) {
	file := filepath.Join(s.Tree.Folder, "cpu.pb.gz")
	return s.profile(ctx, file, map[string]string{cpuEnv: file})
}

func (s *Program) profile(ctx context.Context, file string, env map[string]string) (*profile.Profile, error) {
	text, _, err := s.written(ctx, file, env)
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, fmt.Errorf("%s: %w", s.Name, errLost)
	}
	return profiles.ReadFile(file)
}

// Heap records a heap profile of one run. The sampling rate is set before the process starts.
func (s *Program) Heap(ctx context.Context, o probe.Options) (probe.Heap, error) {
	_, rate := probe.Plan(s.first, o)
	h := probe.Heap{N: 1, Rate: rate, AtEnd: true, Why: "a program returns nothing"}
	file := filepath.Join(s.Tree.Folder, "heap.pb.gz")
	p, err := s.profile(ctx, file, map[string]string{heapEnv: file, "GODEBUG": "memprofilerate=" + strconv.Itoa(rate)})
	if err != nil {
		return h, err
	}
	h.Plain.Start = p.Copy()
	h.Plain.Start.Sample = nil
	h.Plain.Held, h.Plain.Dropped = p, p
	return h, nil
}

// Changed builds the program with additional changes, and runs it once.
func (s *Program) Changed(ctx context.Context, c wrap.Changes, folder string, env map[string]string, _ int) (operations int, err error) {
	c.Include(s.own)
	file, err := s.build(ctx, c, folder)
	if err != nil {
		return 0, err
	}
	_, err = s.run(ctx, file, env)
	return 1, err
}
