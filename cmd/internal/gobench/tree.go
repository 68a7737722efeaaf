// Package gobench builds the benchmarks of a source tree with the meter, and runs them. It finds
// the benchmarks, determines the number of operations of a run, and reads the resources that a run
// has used. It does not change the tree. If there is a copy of the tree, programs run in the copy,
// and may write to it.
//
// Package gobench/keep changes copies of benchmarks so that the results of their operations can be
// compared.
package gobench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/meter"
	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/process"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A Tree is a source tree, together with the binaries that were built from it.
type Tree struct {
	trees.Tree
	Copy     trees.Tree         // copy in which binaries run; Root is empty if they run in the tree
	Folder   string             // folder for the files that are built
	Overlay  *meter.Overlay     // nil if Plain
	Plain    bool               // the binaries have no meter
	Extra    map[string]string  // variables for the environment of the go command and of binaries
	Packages map[string]Package // packages with benchmarks, by import path
	Binaries map[string]string  // paths of test binaries, by import path

	// Better records, for each unit that a benchmark has declared, whether higher or lower values
	// are better.
	Better map[string]metric.Direction

	// Alias is set if benchmarks within one source tree are compared. Each of these benchmarks then
	// has its own Tree.
	Alias Alias

	Settings Settings
	keepers  map[string]*Keeper // by import path
}

// A Package contains the output of go list about a package.
type Package struct {
	ImportPath, Dir, Name           string
	GoFiles, CgoFiles               []string
	TestGoFiles, XTestGoFiles       []string
	Deps, TestImports, XTestImports []string
	Error                           *struct{ Err string }
}

// Settings contains the settings of the go command that affect the built programs, and GOROOT.
type Settings struct {
	GOROOT                                                         string `json:",omitzero"`
	GOVERSION, GOFLAGS, GOEXPERIMENT, GOAMD64, GOARCH, CGO_ENABLED string
}

// Open prepares a tree for building and running benchmarks. The files that are built from the tree
// are written to folder. shared is the folder of the meter, which all trees with the same toolchain
// use. If the meter does not support the toolchain, Open returns a Plain tree, and plain is the
// reason.
func Open(ctx context.Context, tree trees.Tree, folder, shared string) (t *Tree, plain, err error) {
	t = &Tree{Tree: tree, Folder: folder}
	t.Overlay, err = meter.Make(ctx, shared, t.Dir, nil, nil)
	if errors.Is(err, meter.ErrToolchain) {
		t.Overlay, t.Plain, plain = nil, true, err
	} else if err != nil {
		return nil, nil, err
	}
	return t, plain, t.ReadSettings(ctx)
}

// Version returns the version of the toolchain, such as go1.26.8. For a toolchain that is not a
// release, the result has a different format.
func (s Settings) Version() string {
	v, _, _ := strings.Cut(s.GOVERSION, " ")
	return v
}

// ReadSettings sets t.Settings to the settings of the go command in the tree.
func (t *Tree) ReadSettings(ctx context.Context) error {
	out, err := t.Go(ctx, "env", "-json", "GOROOT", "GOVERSION", "GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARCH", "CGO_ENABLED")
	if err != nil {
		return err
	}
	return json.Unmarshal(out, &t.Settings)
}

// Slowed returns a message about settings of the go command that distort measurements, such as
// -race in GOFLAGS, or "" if there are none.
func (t *Tree) Slowed() string {
	var found []string
	for flag := range strings.FieldsSeq(t.Settings.GOFLAGS) {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, `-'"`), "=")
		if slices.Contains([]string{"race", "msan", "asan", "cover"}, name) && value != "false" || name == "gcflags" && strings.Contains(value, "-N") {
			found = append(found, flag)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("GOFLAGS has %s, which changes the time, memory and allocations of the measured program; unset it", strings.Join(found, " and "))
}

// Env returns the environment of the go command in the tree.
func (t *Tree) Env() []string {
	env := append(os.Environ(), "PWD="+t.Dir)
	if t.Work != "" {
		env = append(env, "GOWORK="+t.Work)
	}
	if t.Overlay != nil {
		env = append(env, t.Overlay.Env...)
	}
	for name, value := range t.Extra {
		env = append(env, name+"="+value)
	}
	return env
}

// Command returns a call to the go command in the tree, prepared for process.Output, which also
// ends the tests and compilers that the go command has started.
func (t *Tree) Command(ctx context.Context, args ...string) *exec.Cmd {
	tool := "go"
	if t.Overlay != nil {
		tool = t.Overlay.Go
	}
	cmd := exec.CommandContext(ctx, tool, args...)
	cmd.Dir, cmd.Env = t.Dir, t.Env()
	return cmd
}

// Go calls the go command in the tree, and returns its standard output.
func (t *Tree) Go(ctx context.Context, args ...string) ([]byte, error) {
	cmd := t.Command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := process.Output(cmd)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("go command not found; install Go, or set PATH")
	case err != nil:
		return nil, fmt.Errorf("go %s in %s: %s", args[0], t.Name, Complaint(stderr.Bytes(), err))
	}
	return out, nil
}

// Complaint returns the most informative line of a failed command's standard error.
func Complaint(stderr []byte, err error) string {
	for line := range strings.Lines(string(stderr)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") {
			return line
		}
	}
	return err.Error()
}

// Decode decodes a sequence of JSON values, which is the format in which the go command prints
// JSON.
func Decode[T any](text []byte) (all []T, err error) {
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var v T
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, v)
	}
}

// List returns the packages that patterns match.
func (t *Tree) List(ctx context.Context, patterns ...string) ([]Package, error) {
	args := []string{"list", "-e", "-json=ImportPath,Dir,Name,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Deps,TestImports,XTestImports,Error", "--"}
	out, err := t.Go(ctx, append(args, patterns...)...)
	if err != nil {
		return nil, err
	}
	all, err := Decode[Package](out)
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", t.Name, err)
	}
	return all, nil
}

var benchmarkDeclared = regexp.MustCompile(`(?m)^func Benchmark`)

// Choose sets t.Packages to the packages with benchmarks that the patterns match.
func (t *Tree) Choose(ctx context.Context, patterns []string) error {
	all, err := t.List(ctx, patterns...)
	if err != nil {
		return err
	}
	t.Packages = map[string]Package{}
	for _, p := range all {
		if p.Error != nil && len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			text := strings.ReplaceAll(p.Error.Err, t.Dir+string(filepath.Separator), "") // the path of a temporary folder is meaningless
			return fmt.Errorf("in %s: %s", t.Name, strings.TrimSpace(text))
		}
		for _, name := range append(p.TestGoFiles, p.XTestGoFiles...) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err == nil && benchmarkDeclared.Match(text) {
				t.Packages[p.ImportPath] = p
			}
		}
	}
	return nil
}

// build builds the test binary of a package, with the overlay o unless it is nil.
func (t *Tree) build(ctx context.Context, o *meter.Overlay, path, file string) error {
	args := []string{"test", "-c", "-vet=off", "-buildvcs=false"}
	if o != nil {
		args = append(args, "-overlay", o.File)
	}
	_, err := t.Go(ctx, append(args, "-o", file, path)...)
	return err
}

// Build builds the metered test binaries of the packages.
func (t *Tree) Build(ctx context.Context, paths []string) error {
	t.Binaries = map[string]string{}
	for i, path := range paths {
		t.Binaries[path] = filepath.Join(t.Folder, fmt.Sprintf("%d.test", i))
		if err := t.build(ctx, t.Overlay, path, t.Binaries[path]); err != nil {
			return err
		}
	}
	return nil
}
