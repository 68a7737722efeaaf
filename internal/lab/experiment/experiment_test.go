package experiment

import (
	"os"
	"strings"
	"testing"
)

const good = `name = "x"
title = "What?"
baseline = "a"
[[contender]]
name = "a"
class = "open"
run = ["a"]
[[contender]]
name = "go slab"
class = "per-node"
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
	e, err := Parse("f.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "x" || len(e.Contenders) != 2 || e.Runs != 10 || e.Warmup != 1 || e.Metric != "cpu" || e.Claims[0].Published != 3 {
		t.Errorf("%+v", e)
	}
}

func TestParseErrorsNameThePlace(t *testing.T) {
	for want, text := range map[string]string{
		"f.toml:2:":                              "name = \"x\"\ntitle = What\n",
		"f.toml:1: unknown key nmae":             "nmae = \"x\"\n",
		"f.toml:6: unknown key contender.clas":   strings.Replace(good, "class = \"open\"", "clas = \"open\"", 1),
		"an experiment needs a name and a title": "name = \"x\"\n",
		"at least one [[contender]]":             "name = \"x\"\ntitle = \"t\"\n",
		"two contenders are called \"a\"":        strings.Replace(good, "go slab", "a", 1),
		"has class \"fast\"; want per-node":      strings.Replace(good, "open", "fast", 1),
		"contender \"a\" has no run command":     strings.Replace(good, "run = [\"a\"]", "", 1),
		"the baseline \"z\" is no contender":     strings.Replace(good, "baseline = \"a\"", "baseline = \"z\"", 1),
		"claim C1, \"a over b\", is about":       strings.Replace(good, "over = \"go slab\"", "over = \"gone\"", 1),
		"claim C1 needs what, metric":            strings.Replace(good, "published = 3", "", 1),
	} {
		if _, err := Parse("f.toml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, want)
		}
	}
}

func TestSelect(t *testing.T) {
	e, err := Parse("f.toml", []byte(good))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := e.Select([]string{"go *"}); err != nil || len(got) != 1 || got[0].Name != "go slab" {
		t.Errorf("go *: %v, %v", got, err)
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

// What the repository declares is well-formed.
func TestDeclarations(t *testing.T) {
	all, err := Load(os.DirFS("../../.."))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	if got := strings.Join(names, " "); got != "binary-trees gc growth instrument live" {
		t.Errorf("experiments %q", got)
	}
	if _, err := Load(os.DirFS(t.TempDir())); err == nil || !strings.Contains(err.Error(), "run coppice lab in a checkout") {
		t.Errorf("an empty tree gave %v", err)
	}
}
