package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

var env = Environment{Schema: Schema, Session: "one", Started: time.Unix(1e9, 0).UTC(), Values: map[string]string{"cpu": "a CPU", "goos": "linux"}}

func run(contender string, round int, status Status) Run {
	return Run{
		Schema: Schema, Experiment: "binary-trees", Contender: contender, Language: "Go", Class: "open", Depth: 9,
		Session: "one", Round: round, Started: time.Unix(1e9, 0).UTC(), Status: status,
		Figures: map[string]float64{"cpu": 1.5, "rss": 1 << 20, "allocs": 7},
	}
}

func write(t *testing.T, folder string, runs ...Run) {
	t.Helper()
	log, err := Create(folder, "binary-trees", env)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if err := log.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "er")
	write(t, dir, run("a", 0, OK), run("a", 1, OK), run("b", 1, Crashed))
	write(t, dir, run("a", 1, OK)) // a second session is appended to the folder
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || len(got[0].Runs) != 3 || len(got[1].Runs) != 1 {
		t.Fatalf("%d sessions: %+v", len(got), got)
	}
	r, want := got[0].Runs[1], run("a", 1, OK)
	if r.Contender != want.Contender || r.Figures["cpu"] != 1.5 || !r.Started.Equal(want.Started) || got[0].Environment.Values["cpu"] != "a CPU" {
		t.Errorf("read %+v", r)
	}
	if got[0].Runs[0].Counts() || !r.Counts() || got[0].Runs[2].Counts() {
		t.Error("warm-up or failures count")
	}
}

// TestBenchFormat verifies that the benchmark file has the valid runs only, without warm-up rounds
// and failures, and that the environment is written as configuration lines.
func TestBenchFormat(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, run("go slab", 0, OK), run("go slab", 1, OK), run("go slab", 2, Wrong))
	file, err := os.Open(filepath.Join(dir, BenchFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader := benchfmt.NewReader(file, BenchFile)
	results := 0
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			t.Fatalf("not a result: %v", reader.Result())
		}
		results++
		if got := string(r.Name); got != "BinaryTrees/contender=go_slab/depth=9" {
			t.Errorf("name %q", got)
		}
		if v, ok := r.Value("cpu-sec/op"); !ok || v != 1.5 || r.GetConfig("cpu") != "a CPU" {
			t.Errorf("result %+v", r)
		}
	}
	if err := reader.Err(); err != nil || results != 1 {
		t.Errorf("%d results, %v", results, err)
	}
}

// A folder of results may be published without its benchmark file. The next session must then write
// the whole file again, including the earlier runs.
func TestBenchFileIsRegenerated(t *testing.T) {
	whole, without := t.TempDir(), t.TempDir()
	for _, dir := range []string{whole, without} {
		write(t, dir, run("a", 0, OK), run("a", 1, OK), run("b", 1, Crashed))
		if dir == without {
			if err := os.Remove(filepath.Join(dir, BenchFile)); err != nil {
				t.Fatal(err)
			}
		}
		write(t, dir, run("c", 1, OK))
	}
	want, err := os.ReadFile(filepath.Join(whole, BenchFile))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(without, BenchFile)); err != nil || string(got) != string(want) {
		t.Errorf("%v, %q, want %q", err, got, want)
	}
}

func TestTruncatedLineIsSkipped(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, run("a", 1, OK), run("a", 2, OK))
	name := filepath.Join(dir, RunsFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := len(data) - 1; cut > len(data)-100; cut-- {
		if err := os.WriteFile(name, data[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := Read(dir)
		if err != nil || len(got) != 1 || len(got[0].Runs) < 1 {
			t.Fatalf("cut at %d: %v, %v", cut, got, err)
		}
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	for want, text := range map[string]string{
		"runs.jsonl:1: not a line written by coppice lab": "hello\nworld\n",
		"schema 0; this program reads schema 1":           "{\"a\": 1}\n{}\n",
		"schema 99; this program reads schema 1":          "{\"schema\": 99}\n{}\n",
		"a run precedes the first environment":            "{\"schema\": 1, \"contender\": \"a\"}\n{}\n",
		"contains no session":                             "\n",
	} {
		dir := t.TempDir()
		name := filepath.Join(dir, RunsFile)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read gave %v, want %q", err, want)
		}
		if _, err := Create(dir, "binary-trees", env); err == nil || !strings.Contains(err.Error(), "nothing was overwritten") {
			t.Errorf("Create gave %v", err)
		}
		if data, _ := os.ReadFile(name); string(data) != text {
			t.Error("the foreign file was changed")
		}
	}
}

func TestUnwritableFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(filepath.Join(file, "sub"), "binary-trees", env); err == nil || !strings.Contains(err.Error(), "name a writable one with -out") {
		t.Errorf("Create gave %v", err)
	}
}

// TestSessionAfterACrash verifies that a session after a crash drops a truncated last line and
// continues after the last complete one.
func TestSessionAfterACrash(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, run("a", 1, OK), run("a", 2, OK))
	name := filepath.Join(dir, RunsFile)
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(name, info.Size()-40); err != nil {
		t.Fatal(err)
	}
	write(t, dir, run("a", 1, OK))
	got, err := Read(dir)
	if err != nil || len(got) != 2 || len(got[0].Runs) != 1 || len(got[1].Runs) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestFolderOfAnotherExperiment(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, run("a", 1, OK))
	if _, err := Create(dir, "growth", env); err == nil || !strings.Contains(err.Error(), "contains runs of binary-trees; nothing was overwritten") {
		t.Errorf("Create gave %v", err)
	}
}

// TestSeedOfAnotherSession verifies that a seed cannot be used for two sessions: their rounds would
// run in the same order, so they would not be independent.
func TestSeedOfAnotherSession(t *testing.T) {
	dir := t.TempDir()
	for i, step := range []struct {
		seed    string
		round   int
		refused bool
	}{{"7", 0, false}, {"7", 1, false}, {"7", 1, true}, {"8", 1, false}} {
		l, err := Create(dir, "binary-trees", Environment{Schema: Schema, Session: fmt.Sprint("session ", i), Values: map[string]string{"seed": step.seed}})
		if refused := err != nil && strings.Contains(err.Error(), "already has rounds with seed 7, "); refused != step.refused {
			t.Errorf("session %d, seed %s: %v", i, step.seed, err)
		}
		if err != nil {
			continue
		}
		r := run("a", step.round, OK)
		r.Session = fmt.Sprint("session ", i)
		if err := errors.Join(l.Add(r), l.Close()); err != nil {
			t.Error(err)
		}
	}
}

// Only the last line may be truncated, as a crash can leave it. A bad line before it is an error.
func TestBadLineInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, run("a", 1, OK), run("a", 2, OK), run("a", 3, OK))
	name := filepath.Join(dir, RunsFile)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines[2] = lines[2][:len(lines[2])/2] + "\n"
	if err := os.WriteFile(name, []byte(strings.Join(lines, "")), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), "runs.jsonl:3: not a line written by coppice lab") {
		t.Errorf("Read gave %v", err)
	}
}

// Runs with different numbers of threads must be different benchmarks.
func TestBenchNamesWorkers(t *testing.T) {
	dir := t.TempDir()
	r := run("a", 1, OK)
	r.Workers = 2
	write(t, dir, r)
	data, err := os.ReadFile(filepath.Join(dir, BenchFile))
	if err != nil || !strings.Contains(string(data), "/contender=a/depth=9/workers=2 1 ") {
		t.Errorf("%v, and %s has:\n%s", err, BenchFile, data)
	}
}

// TestNamesOfRuns verifies that a name with control characters is rejected, because reports and
// error messages print names.
func TestNamesOfRuns(t *testing.T) {
	const good = `{"schema":1,"session":"s","environment":"2026-01-02T03:04:05Z","values":{}}
{"schema":1,"experiment":"x","contender":"a","language":"Go","class":"open","session":"s","round":1,"started":"2026-01-02T03:04:05Z","status":"ok"}
`
	for text, want := range map[string]string{
		good: "",
		strings.Replace(good, `"x"`, `"x\u001b[31m"`, 1):                  `runs.jsonl:2: not a line written by coppice lab: experiment is "x\x1b[31m"; want one line without control characters`,
		strings.Replace(good, `"a"`, `"a\nb"`, 1):                         `contender is "a\nb"; want one line`,
		strings.Replace(good, `"open"`, `"\u0000"`, 1):                    `class is "\x00"; want one line`,
		strings.Replace(good, `"a"`, `""`, 1):                             "a run must name an experiment and a contender",
		strings.Replace(good, `"a"`, `7`, 1):                              "runs.jsonl:2: not a line written by coppice lab: contender: want a string, not such a number",
		strings.Replace(good, `"round":1`, `"round":"1"`, 1):              "round: want a whole number, not a string",
		strings.Replace(good, `"2026-01-02T03:04:05Z","v`, `"now","v`, 1): "runs.jsonl:1: not a line written by coppice lab: want a time such as",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, RunsFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(folder); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
