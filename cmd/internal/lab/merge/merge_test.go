package merge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// wants reports each string that text does not contain.
func wants(t *testing.T, text string, all ...string) {
	t.Helper()
	for _, want := range all {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
}

func TestAgreement(t *testing.T) {
	r, text := merged(t, saveAll(t, fakes(12, 14, 0.5, 0.5))...)
	wants(t, text, "12 machines of 3 kinds, 12 sessions", "not proven", "does the ranking hold everywhere? yes: 3 of 3 pairs have one order on every machine")
	row := r.Rankings[0].Rows[0]
	if row.Contender != "formula" || row.Lo > 0.5 || row.Hi < 0.5 || row.Hi-row.Lo > 0.05 || row.Rounds != 12*14 {
		t.Errorf("%+v", row.Estimate)
	}
	if len(r.Notes) > 0 {
		t.Errorf("%q", r.Notes)
	}
}

// Machines may differ in speed by a factor of ten or more. Absolute times must not affect the
// ratios.
func TestMachinesOfAnySpeed(t *testing.T) {
	all := fakes(6, 10, 0.5, 0.5)
	for name := range all[0].of {
		all[0].of[name] *= 1e6
	}
	r, _ := merged(t, saveAll(t, all)...)
	if row := r.Rankings[0].Rows[0]; row.Lo < 0.48 || row.Hi > 0.52 {
		t.Errorf("%+v", row.Estimate)
	}
}

func TestSwap(t *testing.T) {
	_, text := merged(t, saveAll(t, fakes(12, 14, 0.5, 2))...)
	wants(t, text, "no: 2 of 3 pairs swap between machines", "formula on node0, node6, node1, node7, node2, node8", "a new machine may reverse it")
}

// A machine with few rounds contributes to the ratio, but proves nothing by itself.
func TestFewRounds(t *testing.T) {
	_, text := merged(t, saveAll(t, fakes(3, 5, 0.5, 0.5))...)
	wants(t, text, "not proven: 0 of 3 pairs", "a swap on one machine takes 10 rounds to prove here (-runs 10); the most are 5")
}

func TestProgramsAreSeparate(t *testing.T) {
	all := fakes(6, 10, 0.5, 0.5)
	for i := range all[:3] {
		all[i].programs = map[string]string{"formula": "bbbbbbbbbb"}
		all[i].values = map[string]string{"go": "go1.27.4"}
	}
	r, text := merged(t, saveAll(t, all)...)
	wants(t, text, "formula @bbbbbbb  loop", "formula @program  loop", "formula: what it runs changed", "machines differ in go: go1.26.8, go1.27.4")
	if rows := r.Rankings[0].Rows; len(rows) != 4 || len(rows[0].Blocks) != 3 || len(rows[1].Blocks) != 3 {
		t.Errorf("%+v", rows)
	}
}

// Results of an older lab do not identify the program that ran. Runs of other revisions or tools
// must then be kept apart.
func TestUnknownPrograms(t *testing.T) {
	dir := t.TempDir()
	var folders []string
	for i, f := range fakes(4, 10, 0.5, 0.5) {
		s := f.session(uint64(i))
		for j := range s.Runs {
			s.Runs[j].Program = ""
		}
		if i == 0 {
			s.Environment.Values["gcc"] = "gcc 99"
		}
		folders = append(folders, save(t, filepath.Join(dir, fmt.Sprint(i)), s))
	}
	r, _ := merged(t, folders...)
	if rows := r.Rankings[0].Rows; len(rows) != 6 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
}

func TestDuplicateAndMissingShards(t *testing.T) {
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "plan.json"), []byte(`{"schema": 1, "hash": "hhh", "shards": 4}`), 0o666))
	result := func(i int) string { return filepath.Join(dir, "results", fmt.Sprint(i)) }
	one := fake{node: "a", cpu: "CPU", plan: "hhh", shard: 0, rounds: 8, of: cpuSeconds(0.5)}
	two := fake{node: "b", cpu: "CPU", plan: "hhh", shard: 2, rounds: 8, of: cpuSeconds(0.5)}
	again := fake{node: "c", cpu: "CPU", plan: "hhh", shard: 2, rounds: 8, of: cpuSeconds(9)}
	save(t, result(0), one.session(1))
	save(t, result(2), two.session(2))
	copied := save(t, t.TempDir(), one.session(1), again.session(3))
	r, text := merged(t, dir, copied, dir)
	wants(t, text, "2 machines", "2 sessions", "3 duplicate sessions are counted once", "the first is used: shard 2 in ", "2 of 4 shards have no results: 1, 3; coppice lab run -shard")
	if row := r.Rankings[0].Rows[0]; row.Rounds != 16 || row.Hi > 0.6 {
		t.Errorf("%+v", row)
	}
}

// Virtual machines created from one image share a name. Their processors distinguish them.
func TestMachinesOfOneName(t *testing.T) {
	one := fake{node: "vm", cpu: "Old CPU", rounds: 8, of: cpuSeconds(0.5)}
	two := fake{node: "vm", cpu: "New CPU", rounds: 8, of: cpuSeconds(0.7)}
	_, text := merged(t, save(t, t.TempDir(), one.session(1)), save(t, t.TempDir(), two.session(2)))
	wants(t, text, "2 machines of 2 kinds", "vm (Old CPU", "vm (New CPU")
}

// Two machines that start in the same millisecond have sessions of the same name, and a file may be
// concatenated with itself.
func TestSessionsOfOneName(t *testing.T) {
	all := fakes(3, 8, 0.5, 0.5)
	folders := saveAll(t, all)
	name := filepath.Join(folders[0], "runs.jsonl")
	data, err := os.ReadFile(name)
	check(t, err)
	check(t, os.WriteFile(name, slices.Concat(data, data), 0o666))
	r, _ := merged(t, folders...)
	if row := r.Rankings[0].Rows[0]; row.Rounds != 24 || r.Sessions != 3 {
		t.Errorf("%d rounds, %d sessions", row.Rounds, r.Sessions)
	}
}

func TestFailuresOnOneMachine(t *testing.T) {
	all := fakes(3, 8, 0.5, 0.5)
	s := all[0].session(0)
	for i := range s.Runs {
		if r := &s.Runs[i]; r.Contender == "table" && r.Round == 5 {
			r.Status, r.Reason = "wrong", "printed 7"
		}
	}
	folders := append(saveAll(t, all)[1:], save(t, t.TempDir(), s))
	_, text := merged(t, folders...)
	wants(t, text, "table is left out on node0: wrong: printed 7", "table      loop  2         16")
}

func TestForms(t *testing.T) {
	r, _ := merged(t, saveAll(t, fakes(7, 12, 0.5, 1.5))...)
	var md, page, out bytes.Buffer
	check(t, r.Markdown(&md))
	check(t, r.HTML(&page))
	check(t, WriteJSON(&out, []Report{r}))
	wants(t, md.String(), "| formula | loop | 7 | 84 |", "**Does the ranking hold everywhere?** no: ")
	wants(t, page.String(), "<svg class=\"chart\" role=\"img\"", "formula by machine", "a new machine", "<style>\n:root")
	if strings.Contains(page.String(), "ZgotmplZ") {
		t.Error("the page's template was escaped")
	}
	var v struct {
		Schema   int
		Machines []struct{ Name, Kind string }
		Rankings []struct {
			Rows []struct {
				Contender string
				Interval  *struct{ Lo, Hi float64 }
				Machines  []struct{ Name string }
			}
		}
	}
	check(t, json.Unmarshal(out.Bytes(), &v))
	if v.Schema != 1 || len(v.Machines) != 7 || len(v.Rankings) != 1 || len(v.Rankings[0].Rows) != 3 {
		t.Errorf("%+v", v)
	}
}

// If each machine always has the same value but machines differ, p is 0. Baselines are not tested,
// so they must not count in the correction for multiple tests.
func TestMachinesWithoutVariance(t *testing.T) {
	k := Ranking{Rows: []Row{
		{Contender: "base", Baseline: "base", Result: across.Result{PUnlike: 1}},
		{Contender: "sure", Baseline: "base"},
		{Contender: "other", Baseline: "base", Result: across.Result{PUnlike: 0.03}},
	}}
	k.adjust()
	for i, want := range []float64{1, 0, 0.03} {
		if got := k.Rows[i].PUnlike; got != want {
			t.Errorf("%s: p %v, want %v", k.Rows[i].Contender, got, want)
		}
	}
}
