package find_test

import (
	"os"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/labelled"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// TestMain makes runs short, because no answer depends on their duration.
func TestMain(m *testing.M) {
	gobench.Hasten(10)
	probe.Hasten(5)
	os.Exit(m.Run())
}

// TestLabelled verifies the answers for programs whose correct answers are known.
func TestLabelled(t *testing.T) {
	all, err := labelled.ReadAll("testdata/labelled")
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			if p.Name != "tree-result" {
				testsize.OneOf(t, i, "each program is built and run several times")
			}
			t.Parallel()
			f := look(t, p)
			for _, wrong := range p.Check(f.Answer, f.Sites, f.Proposals) {
				t.Error(wrong)
			}
		})
	}
}

// look analyzes a program with a short CPU profile. It measures runtime settings only if the answer
// depends on them.
func look(t *testing.T, p *labelled.Program) *find.Found {
	t.Helper()
	dir := t.TempDir()
	if err := p.Write(dir); err != nil {
		t.Fatal(err)
	}
	scratch, err := trees.NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer scratch.Close()
	options := find.Options{
		Dir: dir, Packages: []string{"./..."}, Bench: "^" + p.Bench + "$", Tool: "test", Show: func(string) {}, Scratch: scratch,
		Probe: probe.Options{Samples: 100, Longest: time.Hour, Fates: true},
	}
	if p.Answer == site.LeaveAlone {
		options.Probe.Rounds, options.Probe.Samples = 7, 400
	}
	found, err := find.Benchmark(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
