package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coppice-go/coppice/cmd/internal/metric"
)

// declare loads an experiment from the text of its declaration and, unless empty, the text of a
// declaration for another language.
func declare(text, language string) (Experiment, error) {
	tree := fstest.MapFS{"workloads/x/contenders.toml": {Data: []byte(text)}}
	if language != "" {
		tree["workloads/x/rust/contenders.toml"] = &fstest.MapFile{Data: []byte(language)}
	}
	all, err := Load(tree)
	if err != nil {
		return Experiment{}, err
	}
	return all[0], nil
}

const good = `name = "x"
title = "What?"
baseline = "a"
[[contender]]
name = "a"
class = "open"
run = ["a"]
[[contender]]
name = "go slab"
class = "plain"
run = ["b"]
[[claim]]
id = "C1"
what = "a over b"
published = 3
metric = "cpu"
of = "a"
over = "go slab"
`

func TestParse(t *testing.T) {
	e, err := declare(good, "")
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "x" || len(e.Contenders) != 2 || e.Runs != 10 || e.Warmup != 1 || e.Metric != "cpu" || e.Claims[0].Published != 3 {
		t.Errorf("%+v", e)
	}
}

func TestParseErrorsNameThePlace(t *testing.T) {
	for want, text := range map[string]string{
		"workloads/x/contenders.toml:2:":                                                 "name = \"x\"\ntitle = What\n",
		"workloads/x/contenders.toml:1: unknown key nmae":                                "nmae = \"x\"\n",
		"workloads/x/contenders.toml:6: unknown key contender.clas":                      strings.Replace(good, "class = \"open\"", "clas = \"open\"", 1),
		"an experiment needs a name and a title":                                         "name = \"x\"\n",
		"at least one [[contender]]":                                                     "name = \"x\"\ntitle = \"t\"\n",
		"two contenders are called \"a\"":                                                strings.Replace(good, "go slab", "a", 1),
		"has class \"fast\"; want plain, shaped or open":                                 strings.Replace(good, "open", "fast", 1),
		"contender \"a\" has no run command":                                             strings.Replace(good, "run = [\"a\"]", "", 1),
		"the baseline \"z\" is not a contender":                                          strings.Replace(good, "baseline = \"a\"", "baseline = \"z\"", 1),
		"is about \"go salb\", which is not a contender; did you mean go slab, a?":       strings.Replace(good, "over = \"go slab\"", "over = \"go salb\"", 1),
		"has class \"pain\"; did you mean plain? want plain, shaped or open":             strings.Replace(good, "class = \"plain\"", "class = \"pain\"", 1),
		"the baseline \"go salb\" is not a contender; did you mean go slab, a?":          strings.Replace(good, "baseline = \"a\"", "baseline = \"go salb\"", 1),
		"claim C1: set \"what\", \"metric\" and \"of\"":                                  strings.Replace(good, "published = 3", "", 1),
		"has bound \"over\"; want above or below":                                        good + "bound = \"over\"\n",
		"has statistic \"max\"; it must be min, max or mean, and \"over\" must be unset": good + "statistic = \"max\"\n",
		"\"bound\" must be unset and \"unit\" must not be x":                             strings.Replace(good, "over = \"go slab\"", "", 1) + "statistic = \"max\"\nbound = \"above\"\n",
		"sets \"whole\"; \"over\" must be set, and \"ours\" unset":                       strings.Replace(good, "over = \"go slab\"", "whole = \"go slab\"", 1),
		"about \"z\", which is not a contender":                                          good + "whole = \"z\"\n",
		"set \"ours_over\" if and only if \"ours\" and \"over\" are set":                 good + "ours = \"a\"\n",
		"two claims are called C1, \"a over b\"":                                         good + good[strings.Index(good, "[[claim]]"):],
		"a need must have exactly one of command, library":                               strings.Replace(good, "run = [\"a\"]", "run = [\"a\"]\nneeds = [{ package = \"p\" }]", 1),
		"need cc does not name its package":                                              strings.Replace(good, "run = [\"a\"]", "run = [\"a\"]\nneeds = [{ command = \"cc\" }]", 1),
		"the summary: set \"claim\", \"old\" and \"new\"":                                good + "[summary]\nclaim = \"C3\"\n",
		"the summary of C3 is about \"z\", which is not a contender; did you mean a":     good + summary("z", 1),
		"a row of the summary of C3: set \"what\" and":                                   good + summary("a", 0),
	} {
		if _, err := declare(text, ""); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
}

// small is an experiment with one contender that reports metrics, and one that does not.
const small = `name = "x"
title = "What?"
expected = ["x", "{depth}", "{group}"]
reported = ["p99_s"]
[[column]]
metric = "op_s"
name = "operation"
[[contender]]
name = "a"
build = ["b", "-o", "{bin}", "{depth}"]
run = ["{bin}", "{depth}", "-report={report}", "-workers={workers}"]
reports = true
least = "nodes"
[[contender]]
name = "b"
run = ["b", "{{bin}}", "{print $1}", "{{.Name}}", "${1}", "x{3}", "{a,b}", "{}"]
env = { A = "{word}" }
program = ["docs"]
`

// TestNamesMustExist verifies that an unknown metric, placeholder or file in a declaration is
// rejected, with a suggestion for a misspelt name.
func TestNamesMustExist(t *testing.T) {
	replaced := func(old, now string) string { return strings.Replace(small, old, now, 1) }
	claim := func(metric, of string) string {
		return small + "[[claim]]\nid = \"C1\"\nwhat = \"w\"\npublished = 3\nmetric = \"" + metric + "\"\nof = \"" + of + "\"\n"
	}
	row := func(metric string) string {
		return small + "[summary]\nclaim = \"C3\"\nold = \"a\"\nnew = [\"a\"]\n[[summary.row]]\nwhat = \"w\"\nold = 1\nnew = 1\nmetric = \"" + metric + "\"\n"
	}
	load := func(text string) (Experiment, error) {
		all, err := Load(fstest.MapFS{"contenders.toml": {Data: []byte(text)}, "docs/a.md": {}})
		if err != nil {
			return Experiment{}, err
		}
		return all[0], nil
	}
	for _, text := range []string{small, claim("op_s", "a"), claim("p99_s", "a"), claim("allocs", "a"), claim("rss", "b"), row("op_s"), row("p99_s"),
		replaced("title", "metric = \"op_s\"\ntitle"), claim("rss", "a") + "unit = \"x\"\n"} {
		if _, err := load(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	ofLab := strings.Join(metric.From(metric.Process), ", ")
	for text, want := range map[string]string{
		replaced("title", "metric = \"cpuu\"\ntitle"):                                                               `the experiment is ranked by metric "cpuu", which does not exist; did you mean cpu? the metrics are ` + ofLab + `, ` + strings.Join(metric.From(metric.Runtime), ", ") + `, op_s, p99_s; to use a different metric that contenders report, name it in a [[column]] or in reported`,
		strings.Replace(smallest, "title", "metric = \"alocs\"\ntitle", 1):                                          `ranked by metric "alocs", which does not exist; the metrics are ` + ofLab + `; contenders with reports = true have more`,
		strings.Replace(smallest, "[[contender]]", "[[column]]\nmetric = \"op_s\"\nname = \"o\"\n[[contender]]", 1): `column "o" has metric "op_s", which does not exist; the metrics are ` + ofLab + `; contenders with reports = true`,
		strings.Replace(smallest, "title", "reported = [\"op_s\"]\ntitle", 1):                                       `reported has metric "op_s", which does not exist; the metrics are ` + ofLab + `; contenders with reports = true`,
		replaced("metric = \"op_s\"\n", ""):                                                                         "a [[column]] needs metric and name",
		replaced("name = \"operation\"\n", ""):                                                                      "a [[column]] needs metric and name",
		small + "[[column]]\nmetric = \"op_s\"\nname = \"o\"\n":                                                     `two columns have metric "op_s"`,
		claim("op_x", "a"):                               `claim C1, "w", has metric "op_x", which does not exist; did you mean op_s? the metrics are cpu`,
		claim("op_s", "b"):                               `claim C1, "w", has metric "op_s", which does not exist; the metrics are ` + ofLab + `; contenders with reports = true`,
		claim("op_s", "a") + "ours = \"b\"\n":            `claim C1, "w", has metric "op_s", which does not exist; the metrics are ` + ofLab + `; contenders with reports = true`,
		claim("rss", "a") + "unit = \"ms\"\n":            `claim C1, "w", has unit "ms"; want one of x and %, or none`,
		row("op_x"):                                      `row "w" of the summary of C3 has metric "op_x", which does not exist; did you mean op_s?`,
		replaced("{depth}", "{dpeth}"):                   `expected has {dpeth}, which is not a placeholder; did you mean depth? it may have {depth}, {group}, and {{dpeth}} stands for {dpeth}`,
		replaced("\"{group}\"", "\"x{bin}\""):            `expected has {bin}, which is not a placeholder`,
		replaced("-report={report}", "-report={reprot}"): `contender "a": run has {reprot}, which is not a placeholder; did you mean report? it may have {bin}, {depth}, {workers}, {report}, and {{reprot}} stands for {reprot}`,
		replaced("-report={report}", "{group}"):          `contender "a": run has {group}, which is not a placeholder`,
		replaced("-o\", \"{bin}", "-o\", \"{report}"):    `contender "a": build has {report}, which is not a placeholder`,
		replaced("-report={report}", "r"):                `contender "a": it reports metrics, but run has no {report}, the file for them`,
		replaced("build =", "program ="):                 `contender "a": run uses {bin}, but no build command creates it`,
		replaced("\"{{bin}}\"", "\"{bin}\""):             `contender "b": run uses {bin}, but no build command creates it`,
		replaced("{word}", "{bin}/lib"):                  `contender "b": env has A = "{bin}/lib", where placeholders are not replaced; put it into run`,
		replaced("\"docs\"", "\"dcos\""):                 `contender "b": program names dcos, which does not exist, and no build command creates it; did you mean docs?`,
		replaced("\"docs\"", "\"docs/b.md\""):            `program names docs/b.md, which does not exist, and no build command creates it; did you mean docs/a.md?`,
		replaced("\"docs\"", "\"no/where\""):             `program names no/where, which does not exist, and no build command creates it`,
		replaced("expected =", "# expected ="):           `contender "a": it has least "nodes", but no expected command reports the value to compare with`,
	} {
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want one line with %s", err, want)
		}
	}
}

// A declaration saved by an older version of the lab may name a metric that no longer exists.
func TestSavedNamesNeedNotExist(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, SavedFile), []byte(strings.Replace(good, "metric = \"cpu\"", "metric = \"gone_s\"", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if e, _, err := Saved(folder); err != nil || e.Claims[0].Metric != "gone_s" {
		t.Error(e, err)
	}
}

// summary returns the declaration of a published table with one row, which compares the contender
// about with "go slab". The published value of "go slab" is figure.
func summary(about string, figure int) string {
	return fmt.Sprintf(`[summary]
claim = "C3"
old = "go slab"
new = [%q]
[[summary.row]]
what = "copy"
metric = "wall"
old = %d
new = 1
`, about, figure)
}

func TestLanguagesAddContenders(t *testing.T) {
	const rust = `language = "Rust"
build = ["cargo", "build"]
needs = [{ command = "cargo", package = "cargo" }]
[[contender]]
name = "rust box"
class = "plain"
run = ["box"]
[[contender]]
name = "rust other"
class = "open"
language = "Zig"
build = ["zig"]
needs = [{ library = "libx.so.1", package = "x" }]
run = ["other"]
`
	e, err := declare(good+summary("a", 1), rust)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Contenders) != 4 || len(e.Summary.Rows) != 1 {
		t.Fatalf("%+v", e)
	}
	box, other := e.Contenders[2], e.Contenders[3]
	if box.Language != "Rust" || box.Build[0] != "cargo" || len(box.Needs) != 1 {
		t.Errorf("box took over %+v", box)
	}
	if other.Language != "Zig" || other.Build[0] != "zig" || len(other.Needs) != 2 || other.Needs[1].What() != "libx.so.1" {
		t.Errorf("other took over %+v", other)
	}
	for want, text := range map[string]string{
		"rust/contenders.toml:1: unknown key title": "title = \"x\"\n",
		"two contenders are called \"a\"":           strings.Replace(rust, "rust box", "a", 1),
	} {
		if _, err := declare(good, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestSelect(t *testing.T) {
	e, err := declare(good, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Select([]string{"go *"}); err != nil || len(got) != 1 || got[0].Name != "go slab" {
		t.Errorf("go *: %v, %v", got, err)
	}
	if got, err := e.Select([]string{"go slab", "a"}); err != nil || len(got) != 2 || got[0].Name != e.Contenders[0].Name || got[1].Name != e.Contenders[1].Name {
		t.Errorf("in another order: %v, %v; want the declared one", got, err)
	}
	if got, err := e.Select(nil); err != nil || len(got) != 2 {
		t.Errorf("all: %v, %v", got, err)
	}
	if _, err := e.Select([]string{"go salb"}); err == nil || !strings.Contains(err.Error(), `no contender "go salb" in x; did you mean go slab, a?`) {
		t.Errorf("error %v", err)
	}
	if _, err := e.Select([]string{"["}); err == nil {
		t.Error("a bad pattern is accepted")
	}
	if _, err := Find([]Experiment{e}, "y"); err == nil || !strings.Contains(err.Error(), "did you mean x?") {
		t.Errorf("error %v", err)
	}
}

func TestWithWorkers(t *testing.T) {
	contenders := []Contender{
		{Name: "takes", Run: []string{"x", "-workers={workers}"}},
		{Name: "fixed", Run: []string{"x"}},
		{Name: "single", Run: []string{"x", "-workers={workers}"}, Single: true},
		{Name: "alone", Run: []string{"x"}, Single: true},
	}
	for want, counts := range map[string][]int{
		"takes:0 fixed:0 single:0 alone:0":         {0},
		"takes:1 fixed:0 single:1 alone:0 takes:2": {1, 2},
		"takes:4 fixed:0":                          {4},
		"takes:4 fixed:0 takes:1 single:1 alone:0": {4, 1},
		"takes:4 fixed:0 takes:2":                  {4, 2},
	} {
		var got []string
		for _, c := range WithWorkers(contenders, counts) {
			got = append(got, fmt.Sprintf("%s:%d", c.Name, c.Workers))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v: %v, want %s", counts, got, want)
		}
	}
}

// TestDeclarations verifies that the declarations of this repository are well-formed.
func TestDeclarations(t *testing.T) {
	all, err := Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(all))
	for _, e := range all {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "adt binary-trees bump caches foreign gc goast growth index instrument jsast json live requests service short-strings strings treeserver vectors" {
		t.Errorf("experiments %q", got)
	}
	if all, err := Open(t.TempDir()); err != nil || len(all) > 0 {
		t.Errorf("an empty tree gave %v, %v", all, err)
	}
}
