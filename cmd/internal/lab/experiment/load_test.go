package experiment

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

const smallest = `name = "small"
title = "What?"
[[contender]]
name = "a"
run = ["go", "run", "./a"]
[[contender]]
name = "b"
group = "two"
run = ["b"]
[[contender]]
name = "c"
group = "two"
run = ["c"]
`

// TestSmallestDeclaration verifies the defaults: the class, Go as the language, and a baseline for
// each group.
func TestSmallestDeclaration(t *testing.T) {
	e, err := declare(smallest, "")
	if err != nil {
		t.Fatal(err)
	}
	a, c := e.Contenders[0], e.Contenders[2]
	if a.Class != "open" || a.Language != "Go" || c.Language != "" {
		t.Errorf("%+v", e)
	}
	if got := e.BaselineOf("a") + e.BaselineOf("b") + e.BaselineOf("c"); got != "abb" {
		t.Errorf("baselines %s, want abb", got)
	}
}

// An experiment may be in any folder, and its languages in subfolders. Vendored packages, test
// data, hidden folders and other repositories are skipped.
func TestFoldersOfDeclarations(t *testing.T) {
	other := strings.ReplaceAll(good, `"x"`, `"y"`)
	const language = "language = \"C\"\n[[contender]]\nname = \"c\"\nrun = [\"c\"]\n"
	tree := fstest.MapFS{}
	for name, text := range map[string]string{
		"contenders.toml": good, "c/contenders.toml": language, "deep/er/y/contenders.toml": other, "deep/er/y/c/contenders.toml": language,
		"vendor/contenders.toml": "bad", "a/node_modules/contenders.toml": "bad", "testdata/contenders.toml": "bad", ".x/contenders.toml": "bad",
		"other/.git/HEAD": "", "other/contenders.toml": "bad", "submodule/.git": "gitdir: x", "submodule/a/contenders.toml": "bad",
	} {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	all, err := Load(tree)
	if err != nil || len(all) != 2 || all[0].Name != "x" || all[1].Name != "y" || len(all[0].Contenders) != 3 || len(all[1].Contenders) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	tree["deep/contenders.toml"] = &fstest.MapFile{Data: []byte(good)}
	if _, err := Load(tree); err == nil || err.Error() != `two experiments are called "x", in contenders.toml and deep/contenders.toml` {
		t.Errorf("error %v", err)
	}
}

// TestSavedIsTheSame verifies that an experiment saved with its results reads back unchanged,
// including the defaults of the time.
func TestSavedIsTheSame(t *testing.T) {
	all, err := Open("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	small, err := declare(smallest, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range append(all, small) {
		if folder := e.Contenders[0].Folder; !strings.HasPrefix(folder, "workloads/") {
			t.Errorf("%s: %s is declared in the folder %q", e.Name, e.Contenders[0].Name, folder)
		}
		folder := t.TempDir()
		if err := Save(folder, e); err != nil {
			t.Fatal(err)
		}
		got, ok, err := Saved(folder)
		if err != nil || !ok || !reflect.DeepEqual(plain(got), plain(e)) {
			t.Errorf("%s: read %+v, %v, want %+v", e.Name, got, err, e)
		}
	}
	if _, ok, err := Saved(t.TempDir()); ok || err != nil {
		t.Errorf("an empty folder: %v, %v", ok, err)
	}
}

// plain prepares an experiment for a comparison: it replaces empty lists of needs with nil and
// clears the folders in which contenders were declared.
func plain(e Experiment) Experiment {
	for i := range e.Contenders {
		e.Contenders[i].Folder = ""
		if len(e.Contenders[i].Needs) == 0 {
			e.Contenders[i].Needs = nil
		}
	}
	return e
}

func TestSavedIsChecked(t *testing.T) {
	for want, text := range map[string]string{
		"experiment.toml: an experiment needs a name": "title = \"t\"\n",
		"experiment.toml:1: unknown key y":            "y = 1\n",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, SavedFile), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Saved(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestBareHasContendersOnly(t *testing.T) {
	e := Bare("x", []Contender{{Name: "b"}, {Name: "a"}})
	if e.BaselineOf("a") != "b" || e.Metric != "cpu" || len(e.Contenders) != 2 {
		t.Errorf("%+v", e)
	}
}
