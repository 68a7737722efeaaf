package merge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// A fake is a machine with known ratios between contenders.
type fake struct {
	node, cpu string
	plan      string // hash of the plan, or "" for results without a plan
	shard     int
	rounds    int
	of        map[string]float64 // CPU seconds of each contender, on a machine of speed 1
	programs  map[string]string  // programs that differ from the default
	values    map[string]string  // additional values of the environment
}

var start = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

// session returns the session that a lab would have recorded on the machine. Its noise depends only
// on the seed.
func (f fake) session(seed uint64) record.Session {
	r := rand.New(rand.NewPCG(seed, 7))
	s := record.Session{Environment: record.Environment{
		Schema: record.Schema, Session: start.Format("2006-01-02T15:04:05.000Z"), Started: start.Add(time.Duration(seed) * time.Millisecond),
		Values: map[string]string{"cpu": f.cpu, "cores": "8", "memory": "64 GiB", "node": f.node, "goos": "linux", "goarch": "amd64", "go": "go1.26.8"},
	}}
	if f.plan != "" {
		s.Environment.Values["plan"], s.Environment.Values["shard"], s.Environment.Values["shard-session"] = f.plan, fmt.Sprint(f.shard), "0"
		s.Environment.Session += fmt.Sprintf("-%s-%d", f.plan, f.shard)
	}
	for key, value := range f.values {
		s.Environment.Values[key] = value
	}
	speed := math.Exp(r.NormFloat64()) // machines differ in speed
	names := make([]string, 0, len(f.of))
	for name := range f.of {
		names = append(names, name)
	}
	slices.Sort(names)
	for round := 0; round <= f.rounds; round++ {
		drift := speed * math.Exp(0.1*r.NormFloat64())
		for _, name := range names {
			program := f.programs[name]
			if program == "" {
				program = "program of " + name
			}
			cpu := drift * f.of[name] * math.Exp(0.02*r.NormFloat64())
			s.Runs = append(s.Runs, record.Run{
				Schema: record.Schema, Experiment: "sum", Contender: name, Language: "Go", Class: "open", Depth: 10, Session: s.Environment.Session, Round: round,
				Started: s.Environment.Started, Revision: "abc", Program: program, Status: record.OK,
				Figures: map[string]float64{"cpu": cpu, "wall": cpu * 1.1, "user": cpu, "system": 0, "rss": 1 << 20, "minor_faults": 7, "own": 3},
			})
		}
	}
	return s
}

// declared is the experiment that all fakes run.
var declared = experiment.Experiment{
	Name: "sum", Title: "Which way to add is faster?", Baseline: "loop", Metric: "cpu", Depth: 10, Runs: 10, Timeout: 10,
	Contenders: []experiment.Contender{
		{Name: "loop", Class: "open", Run: []string{"loop"}}, {Name: "formula", Class: "open", Run: []string{"formula"}}, {Name: "table", Class: "open", Run: []string{"table"}},
	},
}

// save writes sessions to a folder in the lab's format.
func save(t testing.TB, folder string, sessions ...record.Session) string {
	t.Helper()
	for _, s := range sessions {
		log, err := record.Create(folder, "sum", s.Environment)
		check(t, err)
		for _, r := range s.Runs {
			check(t, log.Add(r))
		}
		check(t, log.Close())
	}
	check(t, experiment.Save(folder, declared))
	return folder
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// merged merges the results in folders, and returns the report and its text.
func merged(t testing.TB, folders ...string) (Report, string) {
	t.Helper()
	g, err := Gather(folders)
	check(t, err)
	r := Build(declared, g, "")
	var out strings.Builder
	check(t, r.Text(&out, 0))
	return r, out.String()
}

// cpuSeconds returns the CPU seconds of the baseline and two contenders. The parameter is the time
// of formula as a fraction of the baseline's.
func cpuSeconds(formula float64) map[string]float64 {
	return map[string]float64{"loop": 1, "formula": formula, "table": 0.8}
}

// fakes returns n machines of three kinds. Within each kind, the ratio of formula alternates
// between even and odd.
func fakes(n, rounds int, even, odd float64) (all []fake) {
	for i := range n {
		formula := even
		if i/3%2 == 1 {
			formula = odd
		}
		all = append(all, fake{node: fmt.Sprint("node", i), cpu: fmt.Sprint("CPU ", "ABC"[i%3:i%3+1]), rounds: rounds, of: cpuSeconds(formula)})
	}
	return all
}

// saveAll saves a session of each fake to a folder of its own.
func saveAll(t testing.TB, all []fake) (folders []string) {
	t.Helper()
	dir := t.TempDir()
	for i, f := range all {
		folders = append(folders, save(t, filepath.Join(dir, fmt.Sprint(i)), f.session(uint64(i))))
	}
	return folders
}
