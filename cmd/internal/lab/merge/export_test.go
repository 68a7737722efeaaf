package merge

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// exported exports the results in folders and returns the rows of the table.
func exported(t *testing.T, folders ...string) (lines []Line, notes []string) {
	t.Helper()
	var out bytes.Buffer
	rows, notes, err := Export(&out, folders)
	check(t, err)
	lines, err = parquet.Read[Line](bytes.NewReader(out.Bytes()), int64(out.Len()))
	check(t, err)
	if len(lines) != rows {
		t.Errorf("%d rows were written, and %d are there", rows, len(lines))
	}
	return lines, notes
}

// TestExport verifies that the table has a row for each run, with the run's figures and the
// environment of its session, and that a duplicate session is exported once.
func TestExport(t *testing.T) {
	all := fakes(3, 4, 0.5, 0.5)
	folders := saveAll(t, all)
	lines, notes := exported(t, append(folders, folders[0])...)
	if len(lines) != 3*3*5 || len(notes) != 1 || !strings.Contains(notes[0], "1 duplicate session") {
		t.Fatalf("%d rows, %q", len(lines), notes)
	}
	want := all[1].session(1)
	for i, r := range want.Runs {
		l := lines[15+i]
		if l.Contender != r.Contender || l.Round != int64(r.Round) || l.Counts != r.Counts() || l.Depth != 10 || !l.Started.Equal(r.Started) || l.Program != r.Program {
			t.Errorf("row %d is %+v, want %+v", i, l, r)
		}
		if l.CPU == nil || *l.CPU != r.Figures["cpu"] || l.MajorFaults != nil || l.Figures["own"] != 3 || len(l.Figures) != len(r.Figures) {
			t.Errorf("figures %v", l.Figures)
		}
		if l.Machine != "node1" || l.Kind != "CPU B, 8 cores" || l.Processor != "CPU B" || l.Go != "go1.26.8" || l.Environment["memory"] != "64 GiB" {
			t.Errorf("environment %+v", l)
		}
	}
}

// TestThousandFolders verifies that a thousand folders can be merged and exported in little memory.
// The memory held and allocated for each run must stay below a limit that does not depend on the
// number of folders.
func TestThousandFolders(t *testing.T) {
	n := 100
	if testsize.Full() {
		n = 1000
	}
	folders := saveAll(t, fakes(n, 10, 0.5, 0.51))
	size := int64(0)
	for _, f := range folders {
		info, err := os.Stat(filepath.Join(f, "runs.jsonl"))
		check(t, err)
		size += info.Size()
	}
	var start, merging, before, after runtime.MemStats
	runtime.ReadMemStats(&start)
	r, text := merged(t, folders...)
	runtime.ReadMemStats(&merging)
	wants(t, text, fmt.Sprintf("%d machines of 3 kinds, %d sessions", n, n))
	if row := r.Rankings[0].Rows[0]; row.Rounds != 10*n || len(row.Blocks) != n || row.Lo > 0.505 || row.Hi < 0.505 {
		t.Errorf("%d rounds of %d machines, %+v", row.Rounds, len(row.Blocks), row.Estimate)
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	g, err := Gather(folders)
	check(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runs := 33 * n
	held := (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(runs)
	allocated := float64(merging.TotalAlloc-start.TotalAlloc) / float64(runs)
	runtime.KeepAlive(g)
	var out bytes.Buffer
	rows, _, err := Export(&out, folders)
	check(t, err)
	t.Logf("%d folders, %d runs, %d bytes a run: %.0f bytes a run are allocated to merge them, %.0f stay; %d rows exported, %d bytes a row",
		n, runs, size/int64(runs), allocated, held, rows, out.Len()/rows)
	if allocated > 15_000 || held > 2000 || rows != runs {
		t.Error("that is too much")
	}
}

// TestQueries verifies that the SQL queries in docs/LAB.md run and give the right answers, in an
// in-memory database.
func TestQueries(t *testing.T) {
	duckdb, err := exec.LookPath("duckdb")
	if err != nil {
		t.Skip("no command duckdb; pip install duckdb-cli brings it")
	}
	manual, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "LAB.md"))
	check(t, err)
	dir := t.TempDir()
	all := fakes(6, 10, 0.5, 0.5)
	all[4].of = cpuSeconds(2)
	all[5].programs = map[string]string{"table": "another"}
	s := all[5].session(5)
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Contender == "table" && r.Round > 8 {
			r.Status, r.Reason = "wrong", "printed 7"
		}
	}
	out, err := os.Create(filepath.Join(dir, "runs.parquet"))
	check(t, err)
	_, _, err = Export(out, append(saveAll(t, all[:5]), save(t, t.TempDir(), s)))
	check(t, err)
	check(t, out.Close())
	want := []string{ // the start of each answer; figures are cut off
		`"CPU A, 8 cores",2,formula,0.5`, `"CPU B, 8 cores",node4,2.0`, "table,wrong,printed 7,2,1", "table,2,",
	}
	blocks := strings.Split(string(manual), "```sql\n")[1:]
	if len(blocks) != len(want) {
		t.Fatalf("%d queries, want %d", len(blocks), len(want))
	}
	for i, b := range blocks {
		query, _, _ := strings.Cut(b, "```")
		cmd := exec.Command(duckdb, "-csv", "-noheader", "-c", query)
		cmd.Dir = dir
		got, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s%s", err, query, got)
		} else if !strings.HasPrefix(string(got), want[i]) {
			t.Errorf("the answer is\n%swant it to begin with\n%s\nto\n%s", got, want[i], query)
		}
	}
}
