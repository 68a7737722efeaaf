package gobench

import (
	"context"
	"fmt"
	"go/version"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench/keep"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// A Keeper is a test binary whose benchmarks keep their results (see package keep).
type Keeper struct {
	*Tree
	File string
}

// Keeper returns the test binary of a package whose benchmarks keep their results. It builds the
// binary only once. It returns nil if the benchmarks do not compute results that can be kept.
func (t *Tree) Keeper(ctx context.Context, path string) (*Keeper, error) {
	if k, known := t.keepers[path]; known {
		return k, nil
	}
	k, err := t.keeper(ctx, path)
	if err == nil {
		if t.keepers == nil {
			t.keepers = map[string]*Keeper{}
		}
		t.keepers[path] = k
	}
	return k, err
}

func (t *Tree) keeper(ctx context.Context, path string) (*Keeper, error) {
	env := t.Env()
	// The loader calls the go command in PATH, which may be too old for the module.
	if v := t.Settings.Version(); version.IsValid(v) {
		env = append(env, "GOTOOLCHAIN="+v)
	}
	changed, err := keep.Rewrite(ctx, t.Dir, env, nil, path)
	if err != nil || len(changed.Files) == 0 {
		return nil, err
	}
	folder, err := t.aside("keep", path)
	if err != nil {
		return nil, err
	}
	replace := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(changed.Files)) {
		replace[name] = filepath.Join(folder, fmt.Sprintf("%d_test.go", i))
		if err := os.WriteFile(replace[name], changed.Files[name], 0o666); err != nil {
			return nil, err
		}
	}
	file, err := t.Variant(ctx, "keep", path, replace)
	if err != nil {
		return nil, err
	}
	return &Keeper{t, file}, nil
}

// aside creates and returns a folder for additional binaries of a package.
func (t *Tree) aside(name, path string) (string, error) {
	folder := filepath.Join(t.Folder, name, filepath.Base(t.Binaries[path]))
	return folder, os.MkdirAll(folder, 0o777)
}

// Variant builds a metered test binary of a package in which some files are replaced, and returns
// the path of the binary. replace maps the absolute path of each such file to the path of its
// replacement. The parameter name is the name of the folder for the binary.
func (t *Tree) Variant(ctx context.Context, name, path string, replace map[string]string) (file string, err error) {
	folder, err := t.aside(name, path)
	if err != nil {
		return "", err
	}
	o, err := meter.Make(ctx, folder, t.Dir, nil, replace)
	if err != nil {
		return "", err
	}
	file = filepath.Join(folder, name+".test")
	return file, t.build(ctx, o, path, file)
}

// Results runs n operations of a benchmark and returns the hashes of the values that it kept at
// each site. The hashes do not depend on the fields in skip.
func (k *Keeper) Results(ctx context.Context, b *Benchmark, n int, skip []string) (map[string]meter.Kept, error) {
	env := map[string]string{meter.KeepEnv: "1"}
	if len(skip) > 0 {
		env[meter.SkipEnv] = strings.Join(skip, ",")
	}
	r, err := k.run(ctx, b.Package, k.File, env, "-test.bench="+Pattern(k.Alias.Special(b.Name)), fmt.Sprintf("-test.cpu=%d", b.Procs), "-test.benchtime="+Times(n))
	if err != nil || len(r.Samples) == 0 {
		return nil, err
	}
	kept := map[string]meter.Kept{}
	for site, values := range r.Samples[len(r.Samples)-1].Kept {
		kept[k.Alias.site(site)] = values
	}
	return kept, nil
}
