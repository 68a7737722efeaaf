package find_test

import (
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/planted"
	"github.com/coppice-go/coppice/cmd/internal/find/probe"
	"github.com/coppice-go/coppice/cmd/internal/find/site"
	"github.com/coppice-go/coppice/cmd/internal/trees"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// The answers for programs whose answers are known.
func TestPlanted(t *testing.T) {
	all, err := planted.ReadAll("testdata/planted")
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

// look runs the pipeline with a short CPU profile, and without settings unless the answer depends on them.
func look(t *testing.T, p *planted.Program) *find.Found {
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
		Probe: probe.Options{Samples: 100, Longest: 20 * time.Second, Fates: true},
	}
	if p.Answer == site.LeaveAlone {
		options.Probe.Rounds, options.Probe.Samples, options.Probe.Longest = 7, probe.Full.Samples, probe.Full.Longest
	}
	found, err := find.Benchmark(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return found
}
