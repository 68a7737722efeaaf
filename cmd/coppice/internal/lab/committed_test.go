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

// TestCommittedReportsAreCurrent verifies that the committed reports and index pages are exactly
// what coppice generates from the committed runs and declarations. A report also says which of its
// programs differ from the ones in the tree, so a change to a program's source requires new
// reports.
func TestCommittedReportsAreCurrent(t *testing.T) {
	for _, folder := range append(measuredIn(t, resultsDir, 10), measuredIn(t, secondKind, 2)...) {
		for _, r := range committedReports(t, folder) {
			for file, write := range reportFiles {
				current(t, filepath.Join(folder, file), "lab report "+fromRoot(folder), func(w io.Writer) error { return write(w, r) })
			}
		}
	}
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(resultsDir)); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".", "xeon"} {
		if err := Index(t.Context(), []string{filepath.Join(copied, dir)}, io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		index := filepath.Join(dir, "index.html")
		current(t, filepath.Join(resultsDir, index), "lab index "+filepath.Join("docs/results", dir), fileWriter(filepath.Join(copied, index)))
	}
}

// TestCommittedMergesAreCurrent verifies that the committed merged reports, which combine the
// results from the first processor with those from the second, are exactly what coppice lab merge
// writes.
func TestCommittedMergesAreCurrent(t *testing.T) {
	found, err := filepath.Glob(filepath.Join(secondKind, "*", "merged.md"))
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	t.Chdir("../../../..") // reports contain paths relative to the root
	for _, file := range found {
		folder := filepath.Dir(fromRoot(file))
		first, merged := filepath.Join("docs/results", filepath.Base(folder)), t.TempDir()
		if err := Merge([]string{first, folder, "-out", merged}, io.Discard); err != nil {
			t.Fatal(err)
		}
		command := fmt.Sprintf("lab merge %s %s -out %[2]s", first, folder)
		for _, form := range []string{"merged.md", "merged.html"} {
			current(t, filepath.Join(folder, form), command, fileWriter(filepath.Join(merged, form)))
		}
	}
}

// resultsDir contains the committed results. secondKind contains the results from a different
// processor.
const (
	resultsDir = "../../../../docs/results"
	secondKind = resultsDir + "/xeon"
)

// measuredIn returns the subfolders of dir that contain runs. The test fails if there are fewer
// than least.
func measuredIn(t *testing.T, dir string, least int) (folders []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "runs.jsonl"))
	if err != nil || len(files) < least {
		t.Fatal(files, err)
	}
	for _, runs := range files {
		folders = append(folders, filepath.Dir(runs))
	}
	return folders
}

// fromRoot returns the path of a committed file relative to the repository root.
func fromRoot(file string) string { return strings.TrimPrefix(file, "../../../../") }

// fileWriter returns a function that copies the contents of a file to a writer.
func fileWriter(file string) func(io.Writer) error {
	return func(w io.Writer) error {
		text, err := os.ReadFile(file)
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
}

// committedReports returns one report for each experiment in a results folder.
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

// current fails the test if the contents of file differ from what write writes. The error suggests
// the command that updates the file.
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
		t.Errorf("%s is not what its runs say now; render it: go run ./cmd/coppice %s", fromRoot(file), command)
	}
}

// TestEveryExperimentIsMeasured verifies that docs/results/measure.txt, which make measure reads,
// has a command for every experiment in this repository, and that every experiment has a
// specification and an expected answer. It also verifies that every committed results folder is
// written by a command in measure.txt.
func TestEveryExperimentIsMeasured(t *testing.T) {
	_, all, err := experiments()
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]bool{}
	for _, j := range listOf(t, resultsDir) {
		measured[j.experiment] = true
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
	for _, dir := range []string{resultsDir, secondKind} {
		folders := map[string]bool{}
		for _, j := range listOf(t, dir) {
			folders[j.options.out] = true
		}
		for _, folder := range measuredIn(t, dir, 2) {
			if !folders[fromRoot(folder)] {
				t.Errorf("%s/measure.txt has no command that writes to %s", fromRoot(dir), fromRoot(folder))
			}
		}
	}
}

// listOf returns the commands in the measure.txt of a results folder.
func listOf(t *testing.T, dir string) []*job {
	t.Helper()
	jobs, err := readJobs(filepath.Join(dir, "measure.txt"))
	if err == nil {
		err = prepareJobs(jobs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// TestContendersDiffer verifies that no two contenders of an experiment are built and run
// identically. That would happen if one of them lacked the setting that its name promises. The
// experiment instrument is exempt, because it compares a program with itself.
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
