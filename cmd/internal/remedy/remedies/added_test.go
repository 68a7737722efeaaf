package remedies_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
)

// What docs/ARCHITECTURE.md says a remedy takes: its folder, and its place in the list.
const (
	addedTOML = `name = "made-up"
title = "A made-up remedy can hold the values"
help = "It is of no use."
price = ["nothing"]
if = ["nobody looks"]
`
	addedGo = `// Package madeup is a remedy of a test.
package madeup

import (
	_ "embed"

	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

//go:embed remedy.toml
var data []byte

// Remedy is the remedy.
var Remedy = &remedy.Remedy{
	Document: remedy.MustParse(data),
	Rules: []remedy.Rule{
		{Number: 12, Row: 1, Name: "a channel", Match: channel, Do: remedy.Words("make it up")},
	},
}

func channel(_ *remedy.Program, s *site.Site) []string {
	if s.Facts.Kind != site.MakeChan {
		return nil
	}
	return []string{"it is a channel"}
}
`
	addedImport = "\t\"github.com/coppice-go/coppice/cmd/internal/remedy/madeup\"\n"
	addedLine   = "\tmadeup.Remedy,\n"
)

// A remedy is a folder, and a line in the list with its import. Beside these nothing knows of it: coppice find has it then.
func TestAddedRemedy(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds coppice")
	}
	scratch := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}} // what go build -overlay reads
	put := func(name, text string) string {
		file := filepath.Join(scratch, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	add := func(name, text string) {
		path, err := filepath.Abs(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		overlay.Replace[path] = put(name, text)
	}
	const last, end = "\tconcrete.Remedy,\n", "\t\"github.com/coppice-go/coppice/cmd/internal/site\"\n"
	list, err := os.ReadFile("remedies.go")
	if err != nil || strings.Count(string(list), last) != 1 || strings.Count(string(list), end) != 1 {
		t.Fatalf("the list does not end as it did (%v):\n%s", err, list)
	}
	add("remedies/remedies.go", strings.NewReplacer(last, last+addedLine, end, addedImport+end).Replace(string(list)))
	add("madeup/madeup.go", addedGo)
	add("madeup/remedy.toml", addedTOML)
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	coppice := filepath.Join(scratch, "coppice.exe")
	if out, err := exec.Command("go", "build", "-overlay", put("overlay.json", string(text)), "-o", coppice, "../../../coppice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	heap, err := os.Create(filepath.Join(scratch, "heap.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.WriteHeapProfile(heap); err != nil {
		t.Fatal(err)
	}
	if err := heap.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(scratch, "log.sarif")
	find := exec.Command(coppice, "find", "-heap", heap.Name(), "-sarif", log)
	find.Dir = scratch
	if out, err := find.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"coppice/concrete", "coppice/made-up", "A made-up remedy can hold the values", "docs/remedies/made-up.md"} {
		if !strings.Contains(string(found), want) {
			t.Errorf("the log of coppice find has no %s", want)
		}
	}
}
