package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestArchives verifies that each archive contains what the table needs, and that -bench runs every
// benchmark that it adds.
func TestArchives(t *testing.T) {
	all, err := read(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 12 {
		t.Errorf("only %d modules", len(all))
	}
	for _, m := range all {
		_, version, _ := strings.Cut(m.path, "@")
		if m.standard == nil && !strings.HasPrefix(version, "v") {
			t.Errorf("%s: %s has no fixed version", m.name, m.path)
		}
		pattern, benchmarks := regexp.MustCompile(m.bench), 0
		for _, f := range m.files {
			for _, found := range regexp.MustCompile(`func (Benchmark\w+)\(`).FindAllSubmatch(f.Data, -1) {
				if benchmarks++; !pattern.Match(found[1]) {
					t.Errorf("%s: -bench %s does not run %s of %s", m.name, m.bench, found[1], f.Name)
				}
			}
		}
		if len(m.files) > 0 && benchmarks == 0 {
			t.Errorf("%s: its files have no benchmark", m.name)
		}
	}
	if _, err := read([]string{"gopherlu"}); err == nil || !strings.Contains(err.Error(), "there are btree, ") {
		t.Errorf("an unknown module: %v", err)
	}
	for _, text := range []string{"module: a@v1\npackage: .\nbenches: X\n", "module: a@v1\nbench: X\n", "package: .\nbench: X\n"} {
		if _, err := parse("wrong", []byte(text)); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

// TestRow verifies that a row lists the changes that were kept, or else those that were tried, or
// else the reason why nothing was tried.
func TestRow(t *testing.T) {
	m := module{path: "example.org/m@v1.0.0", bench: "Parse$"}
	const proof = `{"comparisons": [{"subjects": [{"metrics": [{"name": "cpu", "ratio": 0.8, "lo": 0.75, "hi": 0.9}, {"name": "allocs", "exact": true, "ratio": 1.5}]}]}]}`
	for text, want := range map[string]string{
		`{"steps": [{"number": 1, "title": "slab", "state": "kept", "done": ["a", "b"]}], "total": ` + proof + `}`:                   "| example.org/m@v1.0.0, `Parse` | 2 places: slab | −20.0 [−25.0, −10.0] |  | +50.0 |  | keep | 3 s |",
		`{"steps": [{"number": 1, "title": "slab", "state": "dropped", "why": "undecided", "done": ["a"], "proof": ` + proof + `}]}`: "| example.org/m@v1.0.0, `Parse` | 1 places: slab: undecided | −20.0 [−25.0, −10.0] |  | +50.0 |  | not kept | 3 s |",
		`{"reason": "no cost", "steps": [{"title": "slab", "state": "left", "why": "exported"}]}`:                                    "| example.org/m@v1.0.0, `Parse` | nothing: no cost; slab: exported |  |  |  |  |  | 3 s |",
	} {
		if got, err := row(m, []byte(text), 3*time.Second); err != nil || got != want {
			t.Errorf("%s:\n%s (%v), want\n%s", text, got, err, want)
		}
	}
}

// TestComment verifies that the comment is added only to a test file, because the measured code
// must not change.
func TestComment(t *testing.T) {
	folder := t.TempDir()
	if err := comment(folder); err == nil || !strings.Contains(err.Error(), "no source files") {
		t.Errorf("an empty folder: %v", err)
	}
	for _, name := range []string{"a.go", "b_test.go"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("package a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := comment(folder); err != nil {
		t.Fatal(err)
	}
	for name, changed := range map[string]bool{"a.go": false, "b_test.go": true} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || (string(text) != "package a\n") != changed {
			t.Errorf("%s is %q (%v)", name, text, err)
		}
	}
}

// TestCPUTimes verifies that only the side, the round and the CPU time of each run are kept.
func TestCPUTimes(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	for text, want := range map[string]string{
		`{"subject":"a","side":1,"round":3,"order":0,"figures":{"cpu":0.5,"wall":1}}` + "\n": `{"side":1,"round":3,"figures":{"cpu":0.5}}` + "\n",
		`{"side":1,"round":3,"figures":{"wall":1}}` + "\n":                                   "no CPU time",
		"":  "there are no runs",
		"{": "unexpected end",
	} {
		if err := os.WriteFile(from, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := cpuTimes(from, to)
		if got, _ := os.ReadFile(to); err == nil && string(got) != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q became %q (%v), want %q", text, got, err, want)
		}
	}
}

// TestInsertCalls verifies that each kind of benchmark loop calls the loop that slows it down, and
// that other loops do not.
func TestInsertCalls(t *testing.T) {
	folder := t.TempDir()
	if _, err := insertCalls(folder); err == nil || !strings.Contains(err.Error(), "no loop over b.N") {
		t.Errorf("an empty folder: %v", err)
	}
	const before = "package a\n\nfunc f(b *testing.B, n int) {\n\tfor i := 0; i < b.N; i++ {%[1]s\n\t}\n\tfor b.Loop() {%[1]s\n\t\tfor range 3 {\n\t\t}\n\t}\n\tfor range b.N {%[1]s\n\t}\n\tfor i := 0; i < n; i++ {\n\t}\n\tfor {\n\t}\n}\n"
	name := filepath.Join(folder, "a_test.go")
	if err := os.WriteFile(name, fmt.Appendf(nil, before, ""), 0o644); err != nil {
		t.Fatal(err)
	}
	names, err := insertCalls(folder)
	if err != nil || !slices.Equal(names, []string{"a"}) {
		t.Errorf("packages %q (%v)", names, err)
	}
	text, err := os.ReadFile(name)
	if want := fmt.Sprintf(before, " coppiceSlowed();"); err != nil || string(text) != want {
		t.Errorf("got %s (%v), want %s", text, err, want)
	}
}

// TestSlowRow verifies that a row compares the added time with the base's CPU time.
func TestSlowRow(t *testing.T) {
	m := module{path: "example.org/m@v1.0.0", bench: "Parse$"}
	var p proved
	const text = `{"comparisons": [{"subjects": [{"rounds": 20, "metrics": [{"name": "wall", "ratio": 2}, {"name": "cpu", "before": 0.002, "ratio": 1.05, "lo": 1.03, "hi": 1.07}]}]}], "verdict": "revert"}`
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if got, want := p.row(m, 0.0001), "| example.org/m@v1.0.0, `Parse` | +5.0 | +5.0 [+3.0, +7.0] | 20 | revert |"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPercentList(t *testing.T) {
	if all, err := percentList("2,10"); err != nil || !slices.Equal(all, []int{2, 10}) {
		t.Errorf("%v (%v)", all, err)
	}
	for _, wrong := range []string{"0", "2,", "2 5", "101", "x"} {
		if _, err := percentList(wrong); err == nil || !strings.Contains(err.Error(), "such as 2,5,10") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
