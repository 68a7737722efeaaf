package traps

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

var generate = flag.Int("generate", 0, "how many modules TestGenerated makes; 0 for as many as the size of the tests says")

// knownKeys lists the groups of generated modules in which some are known to be handled
// incorrectly. A line has the format REMEDY/TWIST/PLACE: WHY.
const knownKeys = "known-generated.txt"

// A verdict is the required result for a generated module. It follows from how the module was
// generated.
type verdict string

const (
	wantEdit   verdict = "every site must be changed"
	wantNoEdit verdict = "nothing may be changed"
	wantOutput verdict = "the output must stay"
)

// A module is a generated module.
type module struct {
	remedy, twist, place string
	verdict              verdict
	configs              string
	files                map[string]string
}

func (m *module) key() string { return m.remedy + "/" + m.twist + "/" + m.place }

// trap converts the module to a trap, and returns it with the text of its archive.
func (m *module) trap(number int) (*trap, []byte, error) {
	archive := &txtar.Archive{Comment: fmt.Appendf(nil, "Generated: %s, %s.\n", m.key(), m.verdict)}
	if m.verdict == wantOutput {
		archive.Comment = append(archive.Comment, "may edit\n"...)
	}
	if m.configs != "" {
		archive.Comment = append(archive.Comment, "configs: "+m.configs+"\n"...)
	}
	for _, name := range slices.Sorted(mapKeys(m.files)) {
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(m.files[name])})
	}
	data := txtar.Format(archive)
	t, err := parse(fmt.Sprintf("generated-%s-%d", m.remedy, number), data, m.verdict == wantEdit)
	return t, data, err
}

func mapKeys(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name := range m {
			if !yield(name) {
				return
			}
		}
	}
}

// A generator generates a module for one remedy. Consecutive numbers yield different twists and
// places; everything else is random.
type generator func(r *rand.Rand, number int) *module

var generators = []generator{ofSlab, ofSlab, ofSlab, ofScratch, ofScratch, ofPresize, ofOneArray}

// TestGenerated runs coppice fix on modules that combine an owner, a way to use or share it, and a
// place for that code.
func TestGenerated(t *testing.T) {
	const few, usual, full, batch = 4, 24, 200, 250
	n := *generate
	switch {
	case n > 0:
	case testing.Short():
		n = few
	case testsize.Full():
		n = full
	default:
		n = usual
	}
	listed := knownIn(t, knownKeys)
	r := random.New(t)
	first := r.IntN(1 << 20)
	wrong, right := map[string]int{}, map[string]int{}
	for from := 0; from < n; from += batch {
		var traps []*trap
		texts, modules := map[string][]byte{}, map[string]*module{}
		for number := from; number < min(n, from+batch); number++ {
			m := generators[(first+number)%len(generators)](r, (first+number)/len(generators))
			one, text, err := m.trap(number)
			if err != nil {
				t.Fatal(err)
			}
			traps = append(traps, one)
			texts[one.name], modules[one.name] = text, m
		}
		for name, why := range judge(t, traps) {
			key := modules[name].key()
			if why == "" {
				right[key]++
				continue
			}
			if wrong[key]++; listed[key] == "" {
				t.Errorf("%s (%s): %s\n%s", name, key, why, texts[name])
			}
		}
	}
	for key := range listed {
		if right[key] > 0 && wrong[key] == 0 {
			t.Logf("all %d modules of %s, which %s lists, are handled well", right[key], key, knownKeys)
		}
	}
}

// pick returns a random element of some.
func pick[T any](r *rand.Rand, some ...T) T { return some[r.IntN(len(some))] }

// newModule returns a module that contains only a go.mod.
func newModule(remedy string) *module {
	return &module{remedy: remedy, place: "here", verdict: wantEdit, files: map[string]string{"go.mod": "module example.com/calc\n\ngo 1.26\n"}}
}

// check adds the program that prints the results. body contains the statements, and imports the
// packages that they need.
func (m *module) check(body string, imports ...string) {
	m.files["check/main.go"] = "package main\n\nimport (\n\t\"fmt\"\n" + quoted(imports) + "\n\t\"example.com/calc\"\n)\n\nvar more = func() {}\n\nfunc main() {\n" + indented(body) + "\tmore()\n}\n"
}

// add adds declarations to the package, in the given place, and a statement to the check that uses
// them.
func (m *module) add(place, declarations string, imports []string, use string) {
	source := func(tag string) string {
		text := tag + "package calc\n"
		if len(imports) > 0 {
			text += "\nimport (\n" + quoted(imports) + ")\n"
		}
		return text + "\n" + declarations
	}
	m.place = place
	program := func(tag string) string {
		return tag + "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/calc\"\n)\n\nfunc init() {\n\tmore = func() {\n" + indented(indented(use)) + "\t}\n}\n"
	}
	switch place {
	case "file":
		m.files["extra.go"], m.files["check/extra.go"] = source(""), program("")
	case "tag":
		m.files["extra.go"], m.files["check/extra.go"] = source("//go:build special\n\n"), program("//go:build special\n\n")
		m.configs = "-tags=special"
	case "os":
		m.files["extra_windows.go"] = source("")
		m.configs = "GOOS=windows"
	case "test":
		m.files["extra_test.go"] = source("")
	}
}

func quoted(imports []string) (text string) {
	for _, path := range imports {
		text += fmt.Sprintf("\t%q\n", path)
	}
	return text
}

func indented(body string) (text string) {
	for line := range strings.Lines(body) {
		text += "\t" + line
	}
	return text
}

// knownIn reads a list of known failures from testdata. A line has the format NAME: WHY.
func knownIn(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, why, ok := strings.Cut(line, ": ")
		if !ok || why == "" {
			t.Fatalf("%s: invalid line %q: must be NAME: WHY", file, line)
		}
		all[name] = why
	}
	return all
}
