package analyzer_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// source contains a module with sites that are changed, one that is left unchanged, and one in a
// package of its own.
var source = map[string]string{
	"go.mod": "module example.org/m\n\ngo 1.24\n",
	"m.go": `package m

import (
	"os"
	"strings"
)

func Parts(s string) (n int) {
	for _, p := range strings.Split(s, ",") {
		n += len(p)
	}
	return n
}

func Has(b []byte) bool { return len(b) > 1 && strings.Contains(string(b), "x") }

func Keep(b []byte) string {
	os.Getpid()
	return string(b)
}
`,
	"m_test.go": `package m

import "testing"

func TestHas(t *testing.T) {
	if !Has([]byte("ax")) || Parts("a,b") != 2 || Keep(nil) != "" {
		t.Error("wrong")
	}
}
`,
	"below/below.go": `package below

import "strings"

func Parts(s string) (n int) {
	for _, p := range strings.Fields(s) {
		n += len(p)
	}
	return n
}
`,
}

// A module is a module in a temporary folder.
type module struct {
	t      *testing.T
	folder string
	tool   string
}

func (m *module) write(name, text string) {
	m.t.Helper()
	file := filepath.Join(m.folder, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		m.t.Fatal(err)
	}
}

func (m *module) read(name string) string {
	m.t.Helper()
	data, err := os.ReadFile(filepath.Join(m.folder, name))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// run runs the go command in the module's folder.
func (m *module) run(args ...string) (out string, ok bool) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = m.folder, append(os.Environ(), "GOWORK=off")
	data, err := cmd.CombinedOutput()
	return string(data), err == nil
}

// says runs only this analyzer. It fails the test unless the output contains all of wants, and no
// other proposals.
func (m *module) says(command, tool, report string, wants ...string) {
	m.t.Helper()
	out, _ := m.run(command, tool+m.tool, "-coppicefix", "-coppicefix.from="+report, "./...")
	for _, want := range wants {
		if !strings.Contains(out, want) {
			m.t.Errorf("go %s says %s, want %q", command, out, want)
		}
	}
	if got := strings.Count(out, "proposal "); got != len(wants) {
		m.t.Errorf("go %s reports %d proposals, want %d:\n%s", command, got, len(wants), out)
	}
}

// writeReport writes a report in the format of coppice find.
func (m *module) writeReport(name string, lines map[int]*site.Place) {
	m.t.Helper()
	var r struct {
		Schema    int             `json:"schema"`
		Sites     []*site.Site    `json:"sites"`
		Proposals []site.Proposal `json:"proposals"`
	}
	r.Schema = 1
	for line, leaf := range lines {
		s := &site.Site{Place: site.Place{Package: "example.org/m", Function: functions[line], File: filepath.Join(m.folder, "m.go"), Line: line}, Leaf: leaf}
		if line < 0 {
			s.Place = site.Place{Package: "example.org/m/below", Function: "Parts", File: filepath.Join(m.folder, "below", "below.go"), Line: -line}
		}
		s.Objects = 1
		r.Sites = append(r.Sites, s)
	}
	if _, err := facts.Fill(m.t.Context(), facts.Options{Dir: m.folder, Env: append(os.Environ(), "GOWORK=off")}, r.Sites); err != nil {
		m.t.Fatal(err)
	}
	for _, s := range r.Sites {
		title := "avoid-copy in " + s.Function
		r.Proposals = append(r.Proposals, site.Proposal{ID: "p" + s.ID, Remedy: "avoid-copy", Title: title, Sites: []string{s.ID}})
	}
	r.Proposals = append(r.Proposals, site.Proposal{ID: "advice", Remedy: site.Leave, Title: "none", Sites: []string{r.Sites[0].ID}})
	data, err := json.Marshal(r)
	if err != nil {
		m.t.Fatal(err)
	}
	m.write(name, string(data))
}

var functions = map[int]string{9: "Parts", 15: "Has", 19: "Keep"}

// TestGoCommand verifies that the go command, with the analyzer, offers the same changes as coppice
// fix, and makes the same edits.
func TestGoCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a tool")
	}
	m := &module{t: t, folder: t.TempDir(), tool: filepath.Join(t.TempDir(), "coppice-vet")}
	if out, err := exec.Command("go", "build", "-o", m.tool, "../../../coppice-vet").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range source {
		m.write(name, text)
	}
	if out, ok := m.run("vet", "-vettool="+m.tool, "./..."); !ok {
		t.Errorf("without a report: %s", out)
	}
	split := &site.Place{Package: "strings", Function: "genSplit"}
	m.writeReport("find.json", map[int]*site.Place{9: split, 15: nil, 19: nil, -6: {Package: "strings", Function: "Fields"}})
	m.says("vet", "-vettool=", "find.json", "Parts: m.go:9: iterates over the parts with SplitSeq", "Has: m.go:15: calls bytes.Contains with the original",
		"in Keep, is not applied: m.go:19: ", "Parts: below.go:6: iterates over the parts with FieldsSeq")

	if out, ok := m.run("vet", "-vettool="+m.tool, "-coppicefix", "-coppicefix.from="+filepath.Join(m.folder, "find.json"), "-fix", "./..."); !ok {
		t.Errorf("vet -fix: %s", out)
	}
	want := strings.NewReplacer("\t\"os\"", "\t\"bytes\"\n\t\"os\"", "_, p := range strings.Split(", "p := range strings.SplitSeq(", `strings.Contains(string(b), "x")`, `bytes.Contains(b, []byte("x"))`)
	if got := m.read("m.go"); got != want.Replace(source["m.go"]) {
		t.Errorf("m.go is\n%s", got)
	}
	if out, ok := m.run("test", "./..."); !ok {
		t.Errorf("the changed module: %s", out)
	}
	// The report describes the original source, so it no longer applies to code that was changed or
	// that has moved to another line.
	m.says("vet", "-vettool=", "find.json", "Parts, is about sources that have changed; run coppice find -json again", "Parts, is about sources that have changed; run coppice find -json again",
		"in Has, is about sources that have changed; run coppice find -json again", "in Keep, is about sources that have changed; run coppice find -json again")

	m.write("m.go", source["m.go"])
	m.write("below/below.go", source["below/below.go"])
	if out, _ := m.run("fix", "-fixtool="+m.tool, "-coppicefix", "-coppicefix.from=find.json", "-diff", "./..."); strings.Count(out, "\n+") != 6 {
		t.Errorf("fix -diff: %s", out)
	}
	if out, ok := m.run("fix", "-fixtool="+m.tool, "-coppicefix", "-coppicefix.from=find.json", "./..."); !ok {
		t.Errorf("fix: %s", out)
	}
	if got := m.read("m.go"); got != want.Replace(source["m.go"]) {
		t.Errorf("m.go is\n%s", got)
	}
	for name, text := range map[string]string{"old.json": `{"schema": 9}`, "bad.json": "[1]"} {
		m.write(name, text)
		if out, ok := m.run("vet", "-vettool="+m.tool, "-coppicefix.from="+name, "./..."); ok || !strings.Contains(out, name) {
			t.Errorf("%s: %s", name, out)
		}
	}
}
