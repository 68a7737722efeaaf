package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

func TestIncompleteNamesTheFirstFailure(t *testing.T) {
	runs := []record.Run{{Contender: "a", Status: record.OK}}
	if err := incomplete(experiment.Experiment{}, runs); err != nil {
		t.Errorf("all is well, but %v", err)
	}
	runs = append(runs,
		record.Run{Contender: "b", Status: record.Missing, Reason: "ghc is not on this machine"},
		record.Run{Contender: "c", Status: record.Wrong})
	const want = "-complete: b: missing: ghc is not on this machine"
	if err := incomplete(experiment.Experiment{}, runs); err == nil || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
}

func TestQuotedIsWhatAShellReadsBack(t *testing.T) {
	got := strings.Join(quoted([]string{"adt", "-depth", "25", "-contenders", "go *,c apr", "", "it's"}), " ")
	if want := `adt -depth 25 -contenders 'go *,c apr' '' 'it'\''s'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A setting that is asked for comes before the declared one, and each value once.
func TestVariants(t *testing.T) {
	c := experiment.Contender{Name: "a", Language: "Go", Env: map[string]string{"GOGC": "7", "OTHER": "x"}}
	all := options{gogc: "50, 50,off"}.variants(c)
	if len(all) != 2 || all[0].Name != "a GOGC=50" || all[1].Name != "a GOGC=off" {
		t.Fatalf("variants %+v", all)
	}
	for i, want := range []string{"50", "off"} {
		if env := all[i].Env; env["GOGC"] != want || env["OTHER"] != "x" {
			t.Errorf("%s runs with %v", all[i].Name, env)
		}
	}
}

// Only one lab at a time can write to a folder: a second lab fails with the name of the first before
// it measures. The results so far can still be read.
func TestFolderInUse(t *testing.T) {
	folder := t.TempDir()
	lock, err := filelock.Try(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	log, err := record.Create(folder, "instrument", record.Environment{Schema: record.Schema, Session: "s", Values: map[string]string{}})
	if err != nil {
		t.Fatal(err)
	}
	err = log.Add(record.Run{Schema: record.Schema, Experiment: "instrument", Contender: "one", Class: "open", Session: "s", Round: 1, Status: record.OK, Figures: map[string]float64{"cpu": 1}})
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	for args, printed := range map[string]string{
		"lab run instrument -depth 1 -runs 1 -warmup 0 -out": "",
		"lab report": "one",
	} {
		var stdout, stderr strings.Builder
		code := run(t.Context(), append(strings.Fields(args), folder), &stdout, &stderr)
		if code != exitFailure || !strings.Contains(stderr.String(), fmt.Sprintf("another run (process %d, since ", os.Getpid())) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", args, code, &stderr)
		}
		if !strings.Contains(stdout.String(), printed) || printed == "" && stdout.Len() > 0 {
			t.Errorf("%s printed:\n%s", args, &stdout)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "report.md")); err == nil {
		t.Error("a report was written into the folder of another lab")
	}
}
