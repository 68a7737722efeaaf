package fix

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/pprof/profile"
	"golang.org/x/mod/modfile"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

// Builds lists the kinds of builds that a step can select by writing a file in the module.
var Builds = []string{find.BuildPGO, find.BuildNewest}

// configure tries the requested builds. Each is a step after all others, so that its proof shows
// what it saves in addition to them.
func (l *loop) configure(ctx context.Context, cpu *profile.Profile) error {
	for _, kind := range l.Builds {
		s := &planned{Step: &Step{Proposals: []find.Proposal{}}}
		var why string
		var err error
		if kind == find.BuildPGO {
			why, err = l.withProfile(ctx, s, cpu)
		} else {
			why, err = l.withNewest(ctx, s)
		}
		switch {
		case err != nil:
			return err
		case why != "":
			s.State, s.Why = Left, why
			l.result.Steps = append(l.result.Steps, s.Step)
		default:
			if err := l.try(ctx, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// withProfile writes a CPU profile of the benchmark to default.pgo, where the go command looks for
// it. If that is not possible, the result why is the reason.
func (l *loop) withProfile(ctx context.Context, s *planned, cpu *profile.Profile) (why string, err error) {
	s.Title = "PGO"
	s.About = []string{"The compiler reads a CPU profile of this benchmark: it inlines more where the program spends its time."}
	s.Undo = []string{"Delete default.pgo."}
	s.Price = []string{"the profile comes from this benchmark; prefer one from the program itself, and renew it from time to time", "builds take longer"}
	t := &gobench.Tree{Tree: l.tree}
	found, err := t.List(ctx, l.result.Target.Package)
	if err != nil {
		return "", err
	}
	switch file := filepath.Join(found[0].Dir, "default.pgo"); {
	case cpu == nil:
		return "there is no CPU profile of the benchmark", nil
	case found[0].Name != "main":
		return "the compiler reads default.pgo only in the folder of a main package, but this benchmark is in package " + found[0].Name + ": create one there from a profile of the program; coppice find -builds pgo measures the effect here", nil
	case exists(file):
		return "default.pgo already exists", nil
	default:
		var text bytes.Buffer
		if err := cpu.Write(&text); err != nil {
			return "", err
		}
		s.Done = []string{"default.pgo: a CPU profile of " + l.result.Target.Name}
		s.packages = []string{l.result.Target.Package}
		return "", s.edits.Compose(file, "profile", text.String())
	}
}

// withNewest writes a toolchain line for the newest release of Go into go.mod. If that is not
// possible, the result why is the reason.
func (l *loop) withNewest(ctx context.Context, s *planned) (why string, err error) {
	s.Title = "the newest Go"
	t := &gobench.Tree{Tree: l.tree}
	if err := t.ReadSettings(ctx); err != nil {
		return "", err
	}
	out, err := t.Go(ctx, "env", "GOTOOLCHAIN", "GOWORK", "GOMOD")
	if err != nil {
		return "", err
	}
	env := strings.Split(string(out), "\n")
	chosen, work, goMod := strings.TrimSpace(env[0]), strings.TrimSpace(env[1]), strings.TrimSpace(env[2])
	if chosen != "auto" && chosen != "path" && !strings.HasSuffix(chosen, "+auto") && !strings.HasSuffix(chosen, "+path") {
		return "GOTOOLCHAIN=" + chosen + " selects the Go that builds this, regardless of go.mod", nil
	}
	if work != "" && work != "off" {
		return "the workspace selects the Go that builds this: write the line into " + filepath.Base(work), nil
	}
	newest, err := find.Newer(ctx, t)
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err != nil:
		return "the newest Go is not known: " + oneLine(err), nil
	case newest == "":
		return t.Settings.Version() + " is the newest Go", nil
	}
	old, err := os.ReadFile(goMod)
	if err != nil {
		return "", err
	}
	changed, err := withToolchain(goMod, old, newest)
	if err != nil {
		return "", err
	}
	s.Title = newest
	s.About = []string{"Go " + strings.TrimPrefix(newest, "go") + " builds the programs, tests and benchmarks of this module. Modules that require it select their own."}
	s.Undo = []string{"Remove the toolchain line from go.mod."}
	s.Price = []string{find.PriceOfNewest}
	s.Done = []string{"go.mod: toolchain " + newest}
	module := *t // the whole module, because the folder of t may contain only a part of it
	module.Dir = filepath.Dir(goMod)
	all, err := module.List(ctx, "./...")
	if err != nil {
		return "", err
	}
	for _, p := range all {
		if p.Error == nil {
			s.packages = append(s.packages, p.ImportPath)
		}
	}
	return "", s.edits.Compose(goMod, "go.mod", string(changed))
}

// withToolchain returns the contents of go.mod with a toolchain line added.
func withToolchain(name string, old []byte, toolchain string) ([]byte, error) {
	f, err := modfile.Parse(name, old, nil)
	if err != nil {
		return nil, err
	}
	if err := f.AddToolchainStmt(toolchain); err != nil {
		return nil, err
	}
	return f.Format()
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}
