package remedies_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
	"github.com/coppice-go/coppice/internal/testkit/prose"
)

// pages is the folder with one page for each remedy. copies is the folder with the copies that
// coppice help prints.
var (
	pages  = filepath.FromSlash("../../../../docs/remedies")
	copies = filepath.FromSlash("../../../coppice/topics/remedies")
)

var goBlock = regexp.MustCompile("(?ms)^```go\n(.*?)^```$")

// TestEachRemedyHasAPage verifies that each remedy of a rule has a page and a row in the table of
// README.md. A page must say when to use the remedy and when not, and what it costs. It must also
// say how to undo it and how to prove its effect. coppice help must have an identical copy.
func TestEachRemedyHasAPage(t *testing.T) {
	index, err := os.ReadFile(filepath.Join(pages, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	numbered := map[site.Remedy]map[int]bool{}
	for _, r := range remedies.All() {
		numbered[r.Name] = map[int]bool{}
		for _, rule := range r.Rules {
			numbered[r.Name][rule.Number] = true
		}
	}
	for remedy, numbers := range numbered {
		page, err := os.ReadFile(filepath.Join(pages, string(remedy)+".md"))
		if err != nil {
			t.Error(err)
			continue
		}
		if copied, err := os.ReadFile(filepath.Join(copies, string(remedy)+".txt")); err != nil || string(copied) != string(page) {
			t.Errorf("coppice help remedy %s does not have the page (%v); copy it to cmd/coppice/topics/remedies/%[1]s.txt", remedy, err)
		}
		for _, part := range []string{"**When**", "**When not**", "**The price**", "**Undo**", "**Prove**", "coppice prove -"} {
			if !strings.Contains(prose.Unwrap(string(page)), part) {
				t.Errorf("%s.md has no %s", remedy, part)
			}
		}
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| \[%s\]\(%s\.md\) \| ([\d, ]+) \|`, remedy, remedy)).FindSubmatch(index)
		if row == nil {
			t.Errorf("README.md has no row for %s", remedy)
			continue
		}
		named := map[string]bool{}
		for _, n := range strings.Split(string(row[1]), ", ") {
			named[n] = true
		}
		for n := range numbers {
			if !named[fmt.Sprint(n)] {
				t.Errorf("README.md does not name rule %d for %s", n, remedy)
			}
		}
		if len(named) != len(numbers) {
			t.Errorf("README.md names the rules %s for %s, and they are %v", row[1], remedy, numbers)
		}
	}
	find, err := os.ReadFile(filepath.Join(pages, "..", "FIND.md"))
	if err != nil {
		t.Fatal(err)
	}
	for remedy := range numbered {
		if !strings.Contains(string(find), "\n| "+string(remedy)+" | ") {
			t.Errorf("the table of FIND.md has no row for %s", remedy)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(pages, "*.md")); len(names) != len(numbered)+1 {
		t.Errorf("there are %d pages for %d remedies", len(names)-1, len(numbered))
	}
}

func TestCodeOnPagesCompiles(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a build")
	}
	names, err := filepath.Glob(filepath.Join(pages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}} // the format that go build -overlay reads
	args := []string{"build", "-overlay", filepath.Join(scratch, "overlay.json")}
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range goBlock.FindAllSubmatch(page, -1) {
			code := string(m[1])
			if !strings.HasPrefix(code, "package ") {
				code = "package page\n\n" + code
			}
			folder := fmt.Sprintf("page%s%d", strings.ReplaceAll(strings.TrimSuffix(filepath.Base(name), ".md"), "-", ""), i)
			file := filepath.Join(scratch, folder+".go")
			if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay.Replace[filepath.Join(here, folder, "page.go")] = file
			args = append(args, "./"+folder)
		}
	}
	if len(overlay.Replace) < 2*(len(remedies.All())-1) {
		t.Errorf("the pages have %d pieces of code; each has one before and one after", len(overlay.Replace))
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(scratch, "overlay.json"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
}
