package meter

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/process"
)

// These environment variables control a metered binary. Their names begin with COPPICE_METER.
const (
	// FileEnv is the absolute path of the file to which the binary appends its samples. If it is
	// not set, the binary behaves like any other.
	FileEnv = "COPPICE_METER"
	// KeepEnv set to 1 makes the binary hash the results that benchmarks keep. The measured costs
	// then include the hashing.
	KeepEnv = "COPPICE_METER_KEEP"
	// SkipEnv is a comma-separated list of the fields that no hash includes, in the format
	// "import/path.Type.field", with the type and field names of Kept.Fields.
	SkipEnv = "COPPICE_METER_SKIP"
	// HeapEnv is the path prefix of the heap profiles, to which the suffixes HeapStart, HeapHeld
	// and HeapDropped are added. Each profile is written after collections; set the flag
	// -test.memprofilerate=1 to record all objects.
	HeapEnv = "COPPICE_METER_HEAP"
	// MomentsEnv is the maximum number of additional profiles, which are written at random moments
	// between HeapStart and HeapHeld. Their names end in HeapMoment and an index from 0. Set
	// GODEBUG=gcstoptheworld=1; otherwise objects that are allocated during a collection survive
	// it.
	MomentsEnv = "COPPICE_METER_MOMENTS"
	// LabelEnv set to 1 adds the label Label to the samples of CPU profiles while the timer runs.
	// The value of the label is the number of timer resets in this process so far; the samples of
	// the reported run have the largest value. Goroutines inherit the label from the goroutine that
	// starts them; the collector's workers have no label.
	LabelEnv = "COPPICE_METER_LABEL"
)

// These are the suffixes of the names of heap profiles.
const (
	HeapStart   = ".start"   // the heap when the timer was last reset
	HeapHeld    = ".held"    // the heap at the end of the benchmark, with everything that it kept
	HeapDropped = ".dropped" // the heap after the kept values were released
	HeapMoment  = ".moment"  // the heap at a random moment
)

// Label is the key of the label that LabelEnv adds to samples.
const Label = "coppice"

//go:embed overlay/*.go.txt deephash/hash.go deephash/look.go deephash/mix.go deephash/plan.go
var added embed.FS

// An Overlay replaces files of one toolchain's testing package, so that each benchmark run reports
// the resources that it used.
type Overlay struct {
	File string   // path of the overlay, for the -overlay flag of the go command
	Go   string   // path of the go command that must be used with the overlay
	Env  []string // additions to its environment: env, and more if the toolchain was copied
}

// Make writes an overlay into dir. The overlay is for the toolchain that the go command selects in
// the folder module. The go command accepts only one overlay, so the map replace contains further
// files to replace: it maps the absolute path of each file to the absolute path of its replacement.
// env contains additions to the environment of the go command, such as GOTOOLCHAIN.
//
// If the go command downloaded the toolchain, Make first copies the toolchain, once, to the user's
// cache folder, or to dir if there is none. If replace contains files of the standard library, the
// corresponding files of the copy are replaced.
//
// The error is [ErrToolchain] if the meter does not support the toolchain's testing package.
func Make(ctx context.Context, dir, module string, env []string, replace map[string]string) (*Overlay, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	o := &Overlay{File: filepath.Join(dir, "overlay.json"), Env: slices.Clone(env)}
	if o.Go, err = exec.LookPath("go"); err != nil {
		return nil, fmt.Errorf("go command not found: %v; install Go, or set PATH", err)
	}
	if o.Go, err = filepath.Abs(o.Go); err != nil {
		return nil, err
	}
	said, err := goEnv(ctx, o.Go, module, env)
	if err != nil {
		return nil, err
	}
	if said.GOMODCACHE == "" || said.GOCACHE == "off" {
		return nil, errors.New("the go command has no cache for builds or for modules; set HOME, or GOCACHE and GOPATH")
	}
	original := said.GOROOT
	if isInside(said.GOROOT, said.GOMODCACHE) {
		if said.GOROOT, err = copied(said, dir); err != nil {
			return nil, fmt.Errorf("cannot copy %s, which the go command does not let an overlay replace: %v", said.GOVERSION, err)
		}
		o.Go = filepath.Join(said.GOROOT, "bin", "go"+exe(said.GOHOSTOS))
		o.Env = append(o.Env, "GOROOT="+said.GOROOT, "GOTOOLCHAIN=local")
	}
	files, err := write(dir, filepath.Join(said.GOROOT, "src", "testing"))
	if err != nil {
		return nil, err
	}
	for from, to := range replace {
		if rel, err := filepath.Rel(original, from); err == nil && filepath.IsLocal(rel) {
			from = filepath.Join(said.GOROOT, rel)
		}
		switch {
		case !filepath.IsAbs(from) || !filepath.IsAbs(to):
			return nil, fmt.Errorf("an overlay needs absolute paths; got %s for %s", to, from)
		case isInside(from, said.GOMODCACHE):
			return nil, fmt.Errorf("the go command does not allow an overlay to replace %s, which is in the module cache; replace its module with a copy", from)
		case files[from] != "":
			return nil, fmt.Errorf("the meter itself replaces %s", from)
		}
		files[from] = to
	}
	text, err := json.MarshalIndent(struct{ Replace map[string]string }{files}, "", "\t")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(o.File, text, 0o666); err != nil {
		return nil, err
	}
	return o, o.try(ctx, module)
}

// try builds package testing with the overlay, because only the compiler can show whether the meter
// fits. The result stays in the build cache. If the build fails, try repeats it without the
// overlay, because the go command also fails if it cannot read the files of the user's workspace.
func (o *Overlay) try(ctx context.Context, module string) error {
	said, err := o.build(ctx, module, "-overlay", o.File)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	if strings.Contains(said, " requires go >= ") {
		return fmt.Errorf("%s; choose a newer Go with GOTOOLCHAIN", said)
	}
	if said, err := o.build(ctx, module); err != nil {
		return cmp.Or(ctx.Err(), fmt.Errorf("go build testing: %s", said))
	}
	return fmt.Errorf("%w: it does not compile with the meter: %s", ErrToolchain, said)
}

// build builds package testing in the folder module. If the build fails, said is the go command's
// message.
func (o *Overlay) build(ctx context.Context, module string, flags ...string) (said string, err error) {
	cmd := exec.CommandContext(ctx, o.Go, append(append([]string{"build"}, flags...), "testing")...)
	cmd.Dir = module
	cmd.Env = append(os.Environ(), o.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if _, err = process.Output(cmd); err != nil {
		said = line(stderr.Bytes(), err)
	}
	return said, err
}

// write writes the files of the overlay into dir. It returns a map from the paths of files in
// package testing, some of which are new, to the paths of the files in dir.
func write(dir, testing string) (map[string]string, error) {
	benchmark := filepath.Join(testing, "benchmark.go")
	text, err := os.ReadFile(benchmark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: no %s", ErrToolchain, benchmark)
	}
	if err != nil {
		return nil, err
	}
	if text, err = edit(benchmark, text); err != nil {
		return nil, err
	}
	files := map[string]string{benchmark: filepath.Join(dir, "benchmark.go")}
	if err := os.WriteFile(files[benchmark], text, 0o666); err != nil {
		return nil, err
	}
	err = fs.WalkDir(added, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := added.ReadFile(name)
		if err != nil {
			return err
		}
		base := "coppice_" + strings.TrimSuffix(path.Base(name), ".txt")
		to, from := filepath.Join(dir, base), filepath.Join(testing, base)
		if _, err := os.Stat(from); err == nil {
			return fmt.Errorf("%w: it already has a file %s", ErrToolchain, from)
		}
		if text, err = rename(name, text); err != nil {
			return err
		}
		files[from] = to
		return os.WriteFile(to, text, 0o666)
	})
	return files, err
}

// rename changes the package clause of a Go file to "package testing".
func rename(name string, text []byte) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	start, end := fset.Position(f.Package).Offset, fset.Position(f.Name.End()).Offset
	doc := bytes.TrimSpace(text[:start])
	if f.Doc != nil { // package testing already has a package comment
		doc = bytes.TrimSpace(text[:fset.Position(f.Doc.Pos()).Offset])
	}
	return bytes.Join([][]byte{doc, []byte("\n\npackage testing"), text[end:]}, nil), nil
}

// A goEnvironment contains the variables of "go env" that the meter needs.
type goEnvironment struct{ GOROOT, GOVERSION, GOCACHE, GOMODCACHE, GOHOSTOS, GOHOSTARCH string }

func goEnv(ctx context.Context, command, module string, additions []string) (env goEnvironment, err error) {
	cmd := exec.CommandContext(ctx, command, "env", "-json", "GOROOT", "GOVERSION", "GOCACHE", "GOMODCACHE", "GOHOSTOS", "GOHOSTARCH")
	cmd.Dir, cmd.Env = module, append(os.Environ(), additions...)
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return env, fmt.Errorf("go env in %s: %s", module, line(errors.Bytes(), err))
	}
	return env, json.Unmarshal(out, &env)
}

// isInside reports whether path is in dir or in one of its subfolders.
func isInside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && dir != "" && filepath.IsLocal(rel)
}

func exe(goos string) string {
	if goos == "windows" {
		return ".exe"
	}
	return ""
}

// line returns the output of a command on a single line or, if the command printed nothing, the
// error message.
func line(out []byte, err error) string {
	lines := strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return err.Error()
	}
	return strings.Join(lines, "; ")
}
