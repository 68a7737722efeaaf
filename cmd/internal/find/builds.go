package find

import (
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"golang.org/x/sys/cpu"

	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// The kinds of builds that can be compared with the usual build.
const (
	BuildPGO         = "pgo"         // built with a profile of the benchmark itself
	BuildAMD64       = "amd64"       // built for newer processors
	BuildNewest      = "go"          // built with the newest Go version
	BuildExperiments = "experiments" // built with experiments of the allocator and the collector
)

// OtherBuilds lists all of these kinds.
var OtherBuilds = []string{BuildPGO, BuildAMD64, BuildNewest, BuildExperiments}

// A recipe describes an alternative way to build a program.
type recipe struct {
	name, price string
	env         map[string]string // environment variables for the go command
}

// builds returns a function that builds a benchmark in each of the ways selected by o.Builds. If a
// build fails, the function adds a warning and continues with the next one.
func (o *Options) builds(r *Result, t *gobench.Tree, b *gobench.Benchmark) probe.Builds {
	return func(ctx context.Context, p *profile.Profile) (all []probe.Build, err error) {
		recipes, err := o.recipes(ctx, r, t, p)
		if err != nil {
			return nil, err
		}
		for i, a := range recipes {
			o.Show("building with " + a.name)
			made, err := t.Rebuilt(ctx, fmt.Sprintf("build%d", i), b.Package, a.env)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				r.warn("%s was not measured: %v", a.name, err)
				continue
			}
			all = append(all, probe.Build{Name: a.name, Price: a.price, Figures: func(ctx context.Context) (map[string]float64, error) {
				return b.Figures(ctx, made, nil)
			}})
		}
		return all, nil
	}
}

// recipes returns the recipes for the kinds in o.Builds, except for builds that this machine cannot
// run.
func (o *Options) recipes(ctx context.Context, r *Result, t *gobench.Tree, p *profile.Profile) (all []recipe, err error) {
	for _, kind := range o.Builds {
		var found []recipe
		switch kind {
		case BuildPGO:
			found, err = withProfile(t, p)
		case BuildAMD64:
			found = forNewer(t)
		case BuildNewest:
			if found, err = byNewest(ctx, t); err != nil && ctx.Err() == nil { // without a network
				r.warn("the newest Go was not measured: %v", err)
				err = nil
			}
		case BuildExperiments:
			found, err = withExperiments(ctx, t)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func withProfile(t *gobench.Tree, p *profile.Profile) ([]recipe, error) {
	file := filepath.Join(t.Folder, "pgo.pb.gz")
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(p.Write(f), f.Close()); err != nil {
		return nil, err
	}
	return []recipe{{
		"PGO", "a profile of the program beside package main, as default.pgo, renewed from time to time; builds take longer",
		map[string]string{"GOFLAGS": strings.TrimSpace(t.Settings.GOFLAGS + " '-pgo=" + file + "'")},
	}}, nil
}

func forNewer(t *gobench.Tree) []recipe {
	x := cpu.X86
	runs := x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasFMA && x.HasOSXSAVE && x.HasPOPCNT
	if level := t.Settings.GOAMD64; !runs || level != "v1" && level != "v2" {
		return nil
	}
	return []recipe{{"GOAMD64=v3", "a processor from 2013 or later (Haswell, Excavator); on others the program exits at once", map[string]string{"GOAMD64": "v3"}}}
}

// PriceOfNewest describes the price that the user pays for a build with the newest Go.
const PriceOfNewest = "a newer toolchain; its release notes say what changes"

// Newer returns the newest release of Go, or "" if the tree's toolchain is at least as new.
func Newer(ctx context.Context, t *gobench.Tree) (string, error) {
	out, err := t.Go(ctx, "list", "-m", "-f", "{{.Version}}", "go@latest")
	newest := "go" + strings.TrimSpace(string(out))
	if err != nil || version.Compare(newest, t.Settings.Version()) <= 0 {
		return "", err
	}
	return newest, nil
}

func byNewest(ctx context.Context, t *gobench.Tree) ([]recipe, error) {
	newest, err := Newer(ctx, t)
	if newest == "" {
		return nil, err
	}
	return []recipe{{newest, PriceOfNewest, map[string]string{"GOTOOLCHAIN": newest}}}, nil
}

// experiments lists the values of GOEXPERIMENT that change the allocator or the collector. Values
// that a version of Go does not support are skipped.
var experiments = []string{"greenteagc", "runtimefreegc", "sizespecializedmalloc"}

// withExperiments returns a recipe for each experiment that the toolchain supports but has not
// already enabled.
func withExperiments(ctx context.Context, t *gobench.Tree) (all []recipe, err error) {
	out, err := t.Go(ctx, "list", "-f", "{{context.ToolTags}}", "runtime")
	if err != nil {
		return nil, err
	}
	on := strings.Fields(strings.Trim(string(out), "[]\n"))
	for _, name := range experiments {
		try := t.Command(ctx, "version")
		try.Env = append(try.Env, "GOEXPERIMENT="+name)
		if _, unknown := process.Output(try); unknown != nil || slices.Contains(on, "goexperiment."+name) {
			continue
		}
		all = append(all, recipe{"GOEXPERIMENT=" + name, "an experiment of this version of Go, which may change or be removed", map[string]string{"GOEXPERIMENT": name}})
	}
	return all, ctx.Err()
}
