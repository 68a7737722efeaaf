package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/sources"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// mock is an Executor that executes nothing. It returns scripted outcomes by the first word of the
// command.
type mock struct {
	calls   []string
	answers map[string]func(c process.Command) (process.Outcome, error)
	absent  []string // commands that are not installed
}

func (m *mock) Find(need experiment.Need) bool { return !slices.Contains(m.absent, need.What()) }

func (m *mock) Execute(_ context.Context, c process.Command) (process.Outcome, error) {
	m.calls = append(m.calls, c.Args[0])
	if answer, ok := m.answers[c.Args[0]]; ok {
		return answer(c)
	}
	return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{"cpu": 1, "wall": 1}}, nil
}

func plan(t *testing.T, names ...string) Plan {
	p := Plan{
		Session:    "s",
		Experiment: experiment.Experiment{Name: "x", Expected: []string{"expect", "{depth}"}, Timeout: 7},
		Depth:      5, Runs: 2, Warmup: 1, Folder: t.TempDir(),
	}
	for _, name := range names {
		p.Contenders = append(p.Contenders, experiment.Contender{
			Name: name, Class: "open", Run: []string{name, "{depth}", "-workers={workers}", "{report}"},
		})
	}
	return p
}

// collect runs the plan and returns one line for each run that it emits.
func collect(t *testing.T, x Executor, p Plan) (lines []string, err error) {
	t.Helper()
	err = Run(t.Context(), x, p, func(string) {}, func(r record.Run) error {
		line := fmt.Sprintf("%s %d %s", r.Contender, r.Round, r.Status)
		if r.Reason != "" {
			line += ": " + r.Reason
		}
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

func TestRoundsAreInterleaved(t *testing.T) {
	m := &mock{}
	got, err := collect(t, m, plan(t, "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	for round, pair := range slices.Collect(slices.Chunk(got, 2)) {
		slices.Sort(pair)
		if want := fmt.Sprintf("a %d ok,b %d ok", round, round); strings.Join(pair, ",") != want {
			t.Errorf("runs %q, want %q in pair %d", got, want, round)
		}
	}
	if m.calls[0] != "expect" || len(m.calls) != 7 {
		t.Errorf("calls %q", m.calls)
	}
}

// A run is affected by the caches and the machine state that the previous run left behind. To
// balance this, each contender must run about equally often at each position in a round and after
// each other contender.
func TestOrderWithinRounds(t *testing.T) {
	p := plan(t, "a", "b", "c")
	p.Runs, p.Warmup, p.Seed = 300, 0, 17
	order := func(p Plan) []string {
		m := &mock{}
		if _, err := collect(t, m, p); err != nil {
			t.Fatal(err)
		}
		return m.calls[1:]
	}
	calls := order(p)
	places, behind := map[string]int{}, map[string]int{}
	for i, name := range calls {
		places[fmt.Sprint(name, i%3)]++
		if i%3 > 0 {
			behind[calls[i-1]+name]++
		}
	}
	if len(places) != 9 || len(behind) != 6 {
		t.Errorf("places %v, behind %v", places, behind)
	}
	for what, n := range places {
		if n < 70 || n > 130 { // 100, plus or minus four standard deviations
			t.Errorf("%s in %d of 300 rounds", what, n)
		}
	}
	for what, n := range behind {
		if n < 70 || n > 130 {
			t.Errorf("%s in %d of 300 rounds", what, n)
		}
	}
	if !slices.Equal(order(p), calls) {
		t.Error("the same seed gave another order")
	}
	p.Seed = 18
	if slices.Equal(order(p), calls) {
		t.Error("another seed gave the same order")
	}
}

// reporting returns a scripted program that prints the right answer and writes the given report.
func reporting(report string) func(process.Command) (process.Outcome, error) {
	return func(c process.Command) (process.Outcome, error) {
		err := os.WriteFile(c.Args[len(c.Args)-1], []byte(report), 0o666)
		return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{}}, err
	}
}

// A contender that fails, for whatever reason, must be reported in its row, and the others must
// continue.
func TestFailuresAreRows(t *testing.T) {
	crash := func(process.Command) (process.Outcome, error) {
		return process.Outcome{Failure: "signal: killed", Stderr: []byte("out of memory\nmore")}, nil
	}
	for _, c := range []struct {
		name   string
		change func(p *Plan, m *mock)
		want   string
	}{
		{"wrong output", func(_ *Plan, m *mock) {
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": func(process.Command) (process.Outcome, error) { return process.Outcome{Stdout: []byte("41\n")}, nil }}
		}, `a 1 wrong: printed "41" in line 1; expected "42"`},
		{"more than the answer", func(_ *Plan, m *mock) {
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": func(process.Command) (process.Outcome, error) {
				return process.Outcome{Stdout: []byte("42\n43\n")}, nil
			}}
		}, `a 1 wrong: printed "43" in line 2; expected ""`},
		{"crash", func(_ *Plan, m *mock) {
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": crash}
		}, "a 1 crashed: signal: killed: out of memory"},
		{"no process", func(_ *Plan, m *mock) {
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": func(process.Command) (process.Outcome, error) {
				return process.Outcome{}, errors.New("exec format error")
			}}
		}, "a 1 crashed: exec format error"},
		{"timeout", func(_ *Plan, m *mock) {
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": func(process.Command) (process.Outcome, error) { return process.Outcome{TimedOut: true}, nil }}
		}, "a 1 timeout: took longer than 7s and was killed"},
		{"missing tool", func(p *Plan, m *mock) {
			p.Contenders[0].Needs = []experiment.Need{{Command: "ghc", Package: "ghc"}}
			m.absent = []string{"ghc"}
		}, "a 1 missing: ghc is not installed; install the package ghc"},
		{"failed build", func(p *Plan, m *mock) {
			p.Contenders[0].Build = []string{"cc"}
			m.answers = map[string]func(process.Command) (process.Outcome, error){"cc": crash}
		}, "a 1 unbuilt: signal: killed: out of memory"},
		{"build without end", func(p *Plan, m *mock) {
			p.Contenders[0].Build = []string{"cc"}
			m.answers = map[string]func(process.Command) (process.Outcome, error){"cc": func(process.Command) (process.Outcome, error) { return process.Outcome{TimedOut: true}, nil }}
		}, "a 1 unbuilt: took longer than 10m0s and was killed"},
		{"no report", func(p *Plan, _ *mock) { p.Contenders[0].Reports = true }, "a 1 wrong: did not write its report"},
		{"work not done", func(p *Plan, m *mock) {
			p.Contenders[0].Reports, p.Contenders[0].Least = true, "nodes"
			m.answers = map[string]func(process.Command) (process.Outcome, error){
				"expect": func(process.Command) (process.Outcome, error) {
					return process.Outcome{Stdout: []byte("42\n"), Stderr: []byte("least nodes 1000\n")}, nil
				},
				"a": func(c process.Command) (process.Outcome, error) {
					err := os.WriteFile(c.Args[len(c.Args)-1], []byte(`{"bytes": 999}`), 0o666)
					return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{}}, err
				},
			}
		}, "a 1 wrong: allocated 999 bytes; the work needs at least 1000, so it was not done"},
	} {
		t.Run(c.name, func(t *testing.T) { failsAlone(t, c.change, c.want) })
	}
}

// TestFailuresOfReports verifies that the report of a contender and the output of its build are
// checked.
func TestFailuresOfReports(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *Plan, m *mock)
		want   string
	}{
		{"a report of text", func(p *Plan, m *mock) {
			p.Contenders[0].Reports = true
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": reporting(`{"b": 1, "bytes": "7"}`)}
		}, `a 1 wrong: wrote a report that is not a JSON object of numbers: "bytes": want a number`},
		{"a report that is a list", func(p *Plan, m *mock) {
			p.Contenders[0].Reports = true
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": reporting(`[7]`)}
		}, `a 1 wrong: wrote a report that is not a JSON object of numbers: want an object, not a list`},
		{"a figure of two words", func(p *Plan, m *mock) {
			p.Contenders[0].Reports = true
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": reporting(`{"a\nb": 1}`)}
		}, `a 1 wrong: wrote a report that is not a JSON object of numbers: invalid metric name "a\nb": must be one word`},
		{"without what ranks", func(p *Plan, m *mock) {
			p.Experiment.Metric, p.Contenders[0].Reports = "wall", true
			m.answers = map[string]func(process.Command) (process.Outcome, error){"a": reporting(`{"b": 1, "bytes": 7}`)}
		}, `a 1 wrong: has no "wall", the metric that ranks the experiment; it has b, bytes`},
		{"a program that is not made", func(p *Plan, _ *mock) {
			p.Contenders[0].Build, p.Contenders[0].Program = []string{"cc"}, []string{"there/is/none"}
		}, "a 1 unbuilt: program names there/is/none, which the build did not create"},
	} {
		t.Run(c.name, func(t *testing.T) { failsAlone(t, c.change, c.want) })
	}
}

// failsAlone changes a plan of two contenders, a and b, and checks that a fails with the message
// want and that b still runs.
func failsAlone(t *testing.T, change func(p *Plan, m *mock), want string) {
	p, m := plan(t, "a", "b"), &mock{}
	change(&p, m)
	got, err := collect(t, m, p)
	if err != nil {
		t.Fatal(err)
	}
	others := slices.DeleteFunc(slices.Clone(got), func(l string) bool { return strings.HasPrefix(l, "a ") })
	if len(got) != 4 || len(others) != 3 {
		t.Errorf("runs %q, want one of a and three of b", got)
	}
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, want) }) {
		t.Errorf("runs %q, want %q", got, want)
	}
}

// Contenders with the same build command share one program, which is built once.
func TestEqualBuildsAreOne(t *testing.T) {
	p := plan(t, "a", "b", "c")
	p.Runs, p.Warmup = 1, 0
	for i := range p.Contenders {
		p.Contenders[i].Build = []string{"cc", "-o", "{bin}"}
	}
	p.Contenders[2].Build = []string{"cc", "-O3", "-o", "{bin}"}
	m := &mock{}
	if _, err := collect(t, m, p); err != nil {
		t.Fatal(err)
	}
	slices.Sort(m.calls[3:])
	if got := strings.Join(m.calls, " "); got != "expect cc cc a b c" {
		t.Errorf("calls %q", got)
	}
}

func TestReportedFiguresAreKept(t *testing.T) {
	p := plan(t, "a")
	p.Contenders[0].Reports = true
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"a": func(c process.Command) (process.Outcome, error) {
		err := os.WriteFile(c.Args[len(c.Args)-1], []byte(`{"allocs": 7, "cpu": 99, "rss": 5}`), 0o666)
		return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{"cpu": 1, "rss": 9}}, err
	}}}
	err := Run(t.Context(), m, p, func(string) {}, func(r record.Run) error {
		if r.Figures["allocs"] != 7 || r.Figures["cpu"] != 1 || r.Figures["rss"] != 9 {
			t.Errorf("figures %v: what the lab measures itself counts", r.Figures)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArguments(t *testing.T) {
	p := plan(t, "a")
	words := []string{"{bin}", "-w={workers}", "{depth}", "{{depth}}"}
	if got := p.fill(words, map[string]string{experiment.Bin: "B{depth}"}); strings.Join(got, " ") != "B{depth} 5 {depth}" {
		t.Errorf("without workers: %q", got)
	}
	if got := p.fill(words, map[string]string{experiment.Bin: "B", experiment.Workers: "3"}); strings.Join(got, " ") != "B -w=3 5 {depth}" {
		t.Errorf("with workers: %q", got)
	}
}

// An interrupted session emits the runs that have finished, but not the interrupted one.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	fourth := func(process.Command) (process.Outcome, error) {
		if runs == 3 {
			cancel()
		}
		return process.Outcome{Stdout: []byte("42\n")}, nil
	}
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"a": fourth, "b": fourth}}
	err := Run(ctx, m, plan(t, "a", "b"), func(string) {}, func(record.Run) error { runs++; return nil })
	if !errors.Is(err, context.Canceled) || runs != 3 {
		t.Errorf("interrupted in the fourth run: %d runs, %v", runs, err)
	}
}

// A partial output that was printed before the timeout must not become the expected output.
func TestTruncatedExpectedOutputIsAnError(t *testing.T) {
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"expect": func(process.Command) (process.Outcome, error) {
		return process.Outcome{Stdout: []byte("4"), TimedOut: true}, nil
	}}}
	if _, err := collect(t, m, plan(t, "a")); err == nil || !strings.Contains(err.Error(), "expected output of x: took longer than 7s and was killed") {
		t.Errorf("error %v", err)
	}
}

func TestNoExpectedOutputIsAnError(t *testing.T) {
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"expect": func(process.Command) (process.Outcome, error) {
		return process.Outcome{Failure: "exit status 2", Stderr: []byte("bad depth\n")}, nil
	}}}
	if _, err := collect(t, m, plan(t, "a")); err == nil || !strings.Contains(err.Error(), "expected output of x: exit status 2: bad depth") {
		t.Errorf("error %v", err)
	}
}

// A report belongs to one run. A file left by an earlier run must not be read again.
func TestEveryRunReports(t *testing.T) {
	p := plan(t, "a")
	p.Contenders[0].Reports = true
	m := &mock{}
	m.answers = map[string]func(process.Command) (process.Outcome, error){"a": func(c process.Command) (process.Outcome, error) {
		var err error
		if len(m.calls) == 2 { // the first run, after the expected command
			err = os.WriteFile(c.Args[len(c.Args)-1], []byte(`{"allocs": 7}`), 0o666)
		}
		return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{}}, err
	}}
	got, err := collect(t, m, p)
	if err != nil || len(got) != 2 || got[0] != "a 0 ok" || !strings.HasPrefix(got[1], "a 1 wrong: did not write its report") {
		t.Errorf("runs %q, %v", got, err)
	}
}

// If emit fails, no further run is started.
func TestErrorOfEmitEndsTheRun(t *testing.T) {
	full, runs := errors.New("disk full"), 0
	err := Run(t.Context(), &mock{}, plan(t, "a", "b"), func(string) {}, func(record.Run) error { runs++; return full })
	if !errors.Is(err, full) || runs != 1 {
		t.Errorf("%d runs, %v", runs, err)
	}
}

// Without an expected output, each run records a hash of what it printed. An expected output may be
// empty.
func TestOutputIsKept(t *testing.T) {
	for _, expected := range [][]string{nil, {"expect"}} {
		p := plan(t, "a", "b", "c")
		p.Experiment.Expected, p.Warmup = expected, 0
		print := func(text string) func(process.Command) (process.Outcome, error) {
			return func(process.Command) (process.Outcome, error) {
				return process.Outcome{Stdout: []byte(text), Figures: map[string]float64{}}, nil
			}
		}
		m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"expect": print(""), "a": print("1"), "b": print("2"), "c": print("")}}
		outputs, wrong := map[string]bool{}, 0
		err := Run(t.Context(), m, p, func(string) {}, func(r record.Run) error {
			outputs[r.Output] = true
			if r.Status == record.Wrong {
				wrong++
			}
			return nil
		})
		if err != nil || expected == nil && (len(outputs) != 3 || wrong > 0) || expected != nil && (len(outputs) != 1 || wrong != 2) {
			t.Errorf("expected %q: %v, %d wrong, %v", expected, outputs, wrong, err)
		}
	}
}

// The sources of a run include files that a build or the warm-up adds next to the program.
// Otherwise these files would make the run look outdated as soon as it has ended.
func TestSourcesIncludeWarmUpFiles(t *testing.T) {
	root := tree(t, map[string]string{"tool/run.sh": "1"})
	p := plan(t, "a")
	p.Source.Root = root
	p.Contenders[0].Run = []string{"a", "tool/run.sh"}
	m := &mock{answers: map[string]func(process.Command) (process.Outcome, error){"a": func(process.Command) (process.Outcome, error) {
		err := os.WriteFile(filepath.Join(root, "tool", "left.txt"), []byte("2"), 0o666)
		return process.Outcome{Stdout: []byte("42\n"), Figures: map[string]float64{}}, err
	}}}
	err := Run(t.Context(), m, p, func(string) {}, func(r record.Run) error {
		if want := sources.New(root).Of(p.Contenders[0]); r.Counts() && r.Sources != want {
			t.Errorf("round %d: sources %q, want %q", r.Round, r.Sources, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
