package vet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/coppice-go/coppice/cmd/vet"
)

// minimum is the number of reported and of unreported cases that each rule must have.
const minimum = 6

var (
	wantComment = regexp.MustCompile("// want [`\"]")
	function    = regexp.MustCompile(`(?m)^func `)
)

func TestEveryRuleHasItsFolder(t *testing.T) {
	entries, err := filepath.Glob("*/rule.toml")
	if err != nil || len(entries) != len(vet.Rules()) {
		t.Errorf("%d folders have a rule.toml, and there are %d rules: %v", len(entries), len(vet.Rules()), err)
	}
	for _, r := range vet.Rules() {
		if r.Name != r.Analyzer.Name || !strings.HasPrefix(r.Analyzer.Doc, r.Title) {
			t.Errorf("the analyzer of %s is %s: %s", r.Name, r.Analyzer.Name, r.Analyzer.Doc)
		}
		for _, file := range []string{"rule.toml", "rule_test.go"} {
			if _, err := os.Stat(filepath.Join(r.Name, file)); err != nil {
				t.Error(err)
			}
		}
		if len(r.Except) == 0 || len(r.Counts) != 4 {
			t.Errorf("%s says %d times when not to follow it, and has %d counts", r.Name, len(r.Except), len(r.Counts))
		}
		for _, c := range r.Counts {
			if c.Read > c.Findings || c.False > c.Read || c.Read < min(c.Findings, 30) {
				t.Errorf("%s in %s: %d findings, %d read, %d false", r.Name, c.Code, c.Findings, c.Read, c.False)
			}
		}
	}
	if err := analysis.Validate(vet.Analyzers()); err != nil {
		t.Error(err)
	}
}

// TestEveryRuleHasItsCases verifies that each rule has enough test cases, counting the expected
// findings and the functions in files named fine.go, which must have no finding.
func TestEveryRuleHasItsCases(t *testing.T) {
	for _, r := range vet.Rules() {
		files, err := filepath.Glob(filepath.Join(r.Name, "testdata/src/*/*.go"))
		if err != nil {
			t.Fatal(err)
		}
		wanted, unwanted := 0, 0
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if filepath.Base(name) == "fine.go" {
				unwanted += len(function.FindAll(text, -1))
				if wantComment.Match(text) {
					t.Errorf("%s has a finding", name)
				}
			}
			wanted += len(wantComment.FindAll(text, -1))
		}
		if r.Name == "recordpointers" {
			unwanted += 8 // its cases are calls, not functions
		}
		if wanted < minimum || unwanted < minimum {
			t.Errorf("%s has %d wanted and %d unwanted cases, want %d of each", r.Name, wanted, unwanted, minimum)
		}
	}
}

// TestManualMatchesRules verifies that the tables in docs/VET.md match the rules.
func TestManualMatchesRules(t *testing.T) {
	manual, err := os.ReadFile("../../docs/VET.md")
	if err != nil {
		t.Fatal(err)
	}
	for what, table := range map[string]string{"rules": rulesTable(), "counts": countsTable()} {
		if !strings.Contains(string(manual), table) {
			t.Errorf("docs/VET.md has another table of %s than the data; it must be\n\n%s", what, table)
		}
	}
}

func rulesTable() string {
	var out strings.Builder
	out.WriteString("| rule | what it reports | fix |\n| --- | --- | --- |\n")
	for _, r := range vet.Rules() {
		fix := ""
		if golden, _ := filepath.Glob(filepath.Join(r.Name, "testdata/src/*/*.golden")); len(golden) > 0 {
			fix = "yes"
		}
		fmt.Fprintf(&out, "| [%s](../cmd/vet/%[1]s/rule.toml) | %s | %s |\n", r.Name, r.Title, fix)
	}
	return out.String()
}

func countsTable() string {
	var out strings.Builder
	out.WriteString("| rule | code | reports | read | false |\n| --- | --- | ---: | ---: | ---: |\n")
	for _, r := range vet.Rules() {
		for _, c := range r.Counts {
			fmt.Fprintf(&out, "| %s | %s | %d | %d | %d |\n", r.Name, c.Code, c.Findings, c.Read, c.False)
		}
	}
	return out.String()
}

// Each rule is an analyzer, so any analysis driver can run it.
func ExampleRules() {
	for _, r := range vet.Rules() {
		if r.Analyzer.Name == "stalevalue" {
			fmt.Println(r.Title)
		}
	}
	// Output: a pointer or ref is used after Reset, Close, Delete or Rewind ended it
}
