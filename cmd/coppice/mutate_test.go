package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/coppice/internal/cli"
	"github.com/coppice-go/coppice/internal/testkit/damage"
)

// savedDeclaration and savedRuns produce small results that contain everything a report can show:
// claims, columns, groups, a summary, failures, warm-up, thread counts and two sessions.
const savedDeclaration = `name = "x"
title = "Which?"
baseline = "a"
metric = "op_s"
depth = 3
runs = 7
expected = ["true", "{depth}"]
reported = ["p99_s"]
[[column]]
metric = "op_s"
name = "operation"
words = "time of an operation"
[[contender]]
name = "a"
class = "open"
language = "Go"
build = ["true", "{bin}"]
run = ["{bin}", "{depth}", "{report}", "-workers={workers}"]
reports = true
ours = true
[[contender]]
name = "b"
class = "plain"
env = { GOGC = "50" }
needs = [{ command = "cc", package = "gcc" }]
run = ["true", "{report}"]
reports = true
unfair = "it is small"
[[contender]]
name = "c"
class = "open"
group = "two"
baseline = "c"
run = ["true", "{report}"]
reports = true
[[claim]]
id = "C1"
what = "a over b"
published = 2.5
unit = "x"
metric = "op_s"
of = "a"
over = "b"
tolerance = 0.3
[[claim]]
id = "C2"
what = "a has little"
published = 1e6
metric = "rss"
of = "a"
bound = "below"
[[claim]]
id = "C2"
what = "the largest of a"
published = 1e6
metric = "rss"
of = "a"
statistic = "max"
[summary]
claim = "C3"
old = "a"
new = ["b"]
[[summary.row]]
what = "copy"
metric = "op_s"
old = 2
new = 1
`

// savedRuns returns the contents of runs.jsonl for one session.
func savedRuns(session string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "{\"schema\":1,\"session\":%q,\"environment\":\"2026-01-02T03:04:05Z\",\"values\":{\"cpu\":\"AMD\",\"cores\":\"2\",\"host\":\"h\",\"seed\":\"7\",\"load\":\"0.1\",\"go\":\"go1.26.0\",\"command\":\"coppice lab run x\",\"ignored-gogc\":\"5\"}}\n", session)
	for round := range 8 {
		for i, name := range []string{"a", "b", "c", "a GOGC=50"} {
			fmt.Fprintf(&out, "{\"schema\":1,\"experiment\":\"x\",\"contender\":%q,\"language\":\"Go\",\"class\":\"open\",\"depth\":3,\"workers\":%d,\"env\":{\"GOGC\":\"50\"},\"session\":%q,\"round\":%d,\"started\":\"2026-01-02T03:04:05.5Z\",\"revision\":\"abc\",\"dirty\":true,\"program\":\"0123456789abcdef\",\"sources\":\"fedcba9876543210\",\"status\":\"ok\",\"output\":\"1\",\"figures\":{\"cpu\":%g,\"wall\":0.5,\"rss\":%d,\"op_s\":%g,\"bytes\":4096}}\n",
				name, i%2, session, round, 0.25+float64(round+i)/100, 1<<(20+i), 0.001+float64(i)/1e4+float64(round)/1e6)
		}
	}
	fmt.Fprintf(&out, "{\"schema\":1,\"experiment\":\"x\",\"contender\":\"d\",\"class\":\"plain\",\"depth\":3,\"session\":%q,\"round\":1,\"started\":\"2026-01-02T03:04:05Z\",\"status\":\"wrong\",\"reason\":\"printed 1\"}\n", session)
	return out.String()
}

// goWords matches words that betray the implementation. No error message for a user may contain
// them.
var goWords = regexp.MustCompile(`\[\]string|struct field|Go value|Go struct|goroutine|runtime error|0x[0-9a-f]{6}`)

// tried runs a coppice command, which may fail. It returns an error if the exit code is not one of
// coppice's, if a failure prints more than one line, or if the output contains goWords.
func tried(t *testing.T, args ...string) error {
	t.Helper()
	var stderr strings.Builder
	code := run(t.Context(), args, io.Discard, &stderr)
	said := stderr.String()
	if code != cli.ExitOK && (strings.Count(said, "\n") != 1 || len(said) > 1500+2*len(strings.Join(args, ""))) || code > cli.ExitUsage || goWords.MatchString(said) {
		return fmt.Errorf("coppice %s: exit code %d, and it says %q", strings.Join(args, " "), code, said)
	}
	return nil
}

// soundFiles writes each text to a file of its own, and returns the paths.
func soundFiles(t *testing.T, texts ...string) (all []string) {
	t.Helper()
	folder := t.TempDir()
	for i, text := range texts {
		all = append(all, filepath.Join(folder, fmt.Sprint(i)))
		if err := os.WriteFile(all[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// outside changes to a new working directory outside any repository. It contains two folders of
// valid results, named sound and bad. Tests damage the results in bad.
func outside(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"sound/runs.jsonl": savedRuns("s1"), "sound/experiment.toml": savedDeclaration, "bad/runs.jsonl": savedRuns("s2"), "bad/experiment.toml": savedDeclaration,
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMutatedResults verifies that the lab commands that read results either accept damaged results
// and declarations, or reject them with a one-line error.
func TestMutatedResults(t *testing.T) {
	for name, texts := range map[string][]string{
		"bad/runs.jsonl":      {savedRuns("s2"), savedRuns("s1") + savedRuns("s2")},
		"bad/experiment.toml": {savedDeclaration},
	} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			outside(t)
			sound, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			damage.Mutate(t, damage.Format{Sound: soundFiles(t, texts...), Text: true, Try: func(m damage.Mutant) error {
				data, err := os.ReadFile(m.Path)
				if err == nil {
					err = os.WriteFile(name, data, 0o666)
				}
				return errors.Join(err,
					tried(t, "lab", "report", "-json", "-baseline", "b", "bad", "-out", "report"),
					tried(t, "lab", "diff", "sound", "bad"), tried(t, "lab", "index", "."),
					tried(t, "lab", "merge", "sound", "bad", "-out", "merged"),
					tried(t, "lab", "export", "sound", "bad", "-out", "runs.parquet"))
			}})
			if err := os.WriteFile(name, sound, 0o666); err != nil {
				t.Fatal(err)
			}
			if code := run(t.Context(), []string{"lab", "merge", "sound", "bad"}, io.Discard, os.Stderr); code != cli.ExitOK {
				t.Error("the sound results are refused")
			}
		})
	}
}

// TestMutatedDeclarations verifies that damaged declarations either can be listed and planned, or
// are rejected with a one-line error. No contender is run.
func TestMutatedDeclarations(t *testing.T) {
	outside(t)
	const language = "language = \"C\"\nbuild = [\"cc\", \"{bin}\"]\nneeds = [{ command = \"cc\", package = \"gcc\" }]\n[[contender]]\nname = \"e\"\nclass = \"plain\"\nrun = [\"{bin}\", \"{depth}\"]\n"
	for name, sound := range map[string]string{"contenders.toml": savedDeclaration, "c/contenders.toml": language} {
		if err := errors.Join(os.MkdirAll("c", 0o777), os.WriteFile("contenders.toml", []byte(savedDeclaration), 0o666), os.WriteFile("c/contenders.toml", []byte(language), 0o666)); err != nil {
			t.Fatal(err)
		}
		if err := run(t.Context(), []string{"lab", "run", "x", "-n"}, io.Discard, os.Stderr); err != cli.ExitOK {
			t.Fatal("the sound declaration is refused")
		}
		damage.Mutate(t, damage.Format{Sound: soundFiles(t, sound), Text: true, Try: func(m damage.Mutant) error {
			data, err := os.ReadFile(m.Path)
			if err == nil {
				err = os.WriteFile(name, data, 0o666)
			}
			return errors.Join(err, tried(t, "lab", "run", "x", "-n", "-workers", "1,2", "-gogc", "50,off"),
				tried(t, "lab", "plan", "x", "-n", "-shards", "2", "-sessions", "3", "-out", "plan"))
		}})
	}
}

// TestMutatedLists verifies that coppice lab measure -n either prints the plan for a damaged list
// of commands, or rejects the list with a one-line error.
func TestMutatedLists(t *testing.T) {
	outside(t)
	if err := os.WriteFile("contenders.toml", []byte(savedDeclaration), 0o666); err != nil {
		t.Fatal(err)
	}
	const list = "# All.\nGOGC=50 coppice lab run x -runs 3 -contenders 'a,b' -out sound\ncoppice lab run x -depth 12 -workers 1,2 -out results/x\n\ncoppice lab index .\n"
	damage.Mutate(t, damage.Format{Sound: soundFiles(t, list), Text: true, Try: func(m damage.Mutant) error {
		if text, err := os.ReadFile(m.Path); err != nil || len(text) > 300 {
			return err // an error quotes its input
		}
		return tried(t, "lab", "measure", "-n", m.Path)
	}})
}
