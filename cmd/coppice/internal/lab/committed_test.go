package lab

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// The committed reports and their index are what the committed runs and declarations say today.
// They say which of their programs are no longer those of the tree: a change of sources is a change
// of reports.
func TestCommittedReportsAreCurrent(t *testing.T) {
	const dir = "../../../../docs/results"
	folders, err := filepath.Glob(filepath.Join(dir, "*", "runs.jsonl"))
	if err != nil || len(folders) < 10 {
		t.Fatal(folders, err)
	}
	for _, runs := range folders {
		folder := filepath.Dir(runs)
		for _, r := range committedReports(t, folder) {
			for file, write := range reportFiles {
				current(t, filepath.Join(folder, file), "lab report docs/results/"+filepath.Base(folder), func(w io.Writer) error { return write(w, r) })
			}
		}
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := Index(t.Context(), []string{copied}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	current(t, filepath.Join(dir, "index.html"), "lab index docs/results", func(w io.Writer) error {
		page, err := os.ReadFile(filepath.Join(copied, "index.html"))
		if err == nil {
			_, err = w.Write(page)
		}
		return err
	})
}

// committedReports returns the reports of a folder of results.
func committedReports(t *testing.T, folder string) (all []report.Report) {
	t.Helper()
	var saved results
	if err := saved.add(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range saved.experiments() {
		e, doubt, err := saved.declaration(name)
		if err != nil || doubt != "" {
			t.Fatal(err, doubt)
		}
		all = append(all, built(e, saved.sessions, ""))
	}
	return all
}

// current fails if a file is not what is written now.
func current(t *testing.T, file, command string, write func(io.Writer) error) {
	t.Helper()
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(was, out.Bytes()) {
		t.Errorf("%s is not what its runs say now; render it: go run ./cmd/coppice %s", strings.TrimPrefix(file, "../../../../"), command)
	}
}

// The list that make measure reads has every experiment of this repository, each with its problem
// and the right answer, and every folder of committed results has its commands from there.
func TestEveryExperimentIsMeasured(t *testing.T) {
	_, all, err := experiments()
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := readJobs("../../../../docs/results/measure.txt")
	if err == nil {
		err = prepareJobs(jobs)
	}
	if err != nil {
		t.Fatal(err)
	}
	measured, folders := map[string]bool{}, map[string]bool{}
	for _, j := range jobs {
		measured[j.experiment], folders[j.options.out] = true, true
	}
	for _, e := range all {
		if !measured[e.Name] {
			t.Errorf("docs/results/measure.txt has no command for the experiment %s; add: coppice lab run %s -out docs/results/%s", e.Name, e.Name, e.Name)
		}
		if _, err := os.Stat(filepath.Join("../../../../workloads", e.Name, "spec.md")); err != nil {
			t.Errorf("nothing says what the programs of %s have to do: %v", e.Name, err)
		}
		if len(e.Expected) == 0 {
			t.Errorf("%s has no expected command, which prints the right answer", e.Name)
		}
	}
	committed, err := filepath.Glob("../../../../docs/results/*/runs.jsonl")
	if err != nil || len(committed) < 10 {
		t.Fatal(committed, err)
	}
	for _, runs := range committed {
		if folder := "docs/results/" + filepath.Base(filepath.Dir(runs)); !folders[folder] {
			t.Errorf("docs/results/measure.txt has no command that writes to %s", folder)
		}
	}
}

// No contender is another one by a second name, as one that forgets the setting that it is named
// after would be. Experiment instrument compares a program with itself.
func TestContendersDiffer(t *testing.T) {
	_, all, err := experiments()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Name == "instrument" {
			continue
		}
		names := map[string]string{}
		for _, c := range e.Contenders {
			what := fmt.Sprintf("%q %q %q %q", c.Build, c.Run, c.Program, c.Env)
			if other := names[what]; other != "" {
				t.Errorf("%s: %q and %q are built and run in the same way", e.Name, other, c.Name)
			}
			names[what] = c.Name
		}
	}
}
