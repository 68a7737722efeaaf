package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

// TestFolderInUse verifies that a lab does not write to a folder that another lab is using. It
// fails before it measures anything, and its error names the process of the other lab. lab report
// still prints the results that are already there.
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
		if code != cli.ExitFailure || !strings.Contains(stderr.String(), fmt.Sprintf("another run (process %d, since ", os.Getpid())) || strings.Count(stderr.String(), "\n") != 1 {
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
