package vetreport_test

import (
	"encoding/json"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coppice-go/coppice/cmd/internal/render/sarifschema"
	"github.com/coppice-go/coppice/cmd/internal/vetreport"
	"github.com/coppice-go/coppice/cmd/internal/vetrun"
	"github.com/coppice-go/coppice/cmd/vet"
)

// sample returns a result with every element: a finding with a fix on a line with a 3-byte
// character, a finding in a file outside the module, and packages that were not analyzed.
func sample(t *testing.T) vetrun.Result {
	root := t.TempDir()
	name := filepath.Join(root, "in ner", "a.go")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("package a\n\n/* ☃ */ var x = 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := func(name string, line, column int) token.Position {
		return token.Position{Filename: name, Line: line, Column: column}
	}
	return vetrun.Result{
		Root: root,
		Findings: []vetrun.Finding{
			{Rule: "slicegrowth", Position: at(name, 3, 15), Message: "x grows", FixText: "make room", Fix: []vetrun.Edit{{File: name, Start: 25, End: 26, New: "y"}}},
			{Rule: "useafterput", Position: at("/else/where.go", 7, 2), Message: "x < y"},
		},
		Troubles: []vetrun.Trouble{
			{Package: "example.org/bad", Mistakes: []vetrun.Mistake{{Position: at(name, 1, 1), Text: "wrong"}, {Text: "no place"}}},
			{Package: "example.org/good", Tests: true, Imports: "example.org/bad", Mistakes: []vetrun.Mistake{{Position: at(name, 1, 1), Text: "wrong"}}},
		},
	}
}

// object returns the output of write as parsed JSON and as text.
func object(t *testing.T, write func(*strings.Builder) error) (any, string) {
	t.Helper()
	var out strings.Builder
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(out.String()))
	if err != nil {
		t.Fatalf("%v in\n%s", err, out.String())
	}
	return parsed, out.String()
}

// at returns the element of a JSON document at a path of keys and indices.
func at(t *testing.T, in any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			in = in.(map[string]any)[step]
		case int:
			in = in.([]any)[step]
		}
	}
	if n, ok := in.(json.Number); ok {
		i, err := strconv.Atoi(n.String())
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	return in
}

func TestSARIFFollowsTheSchema(t *testing.T) {
	result := sample(t)
	log, text := object(t, func(w *strings.Builder) error { return vetreport.SARIF(w, vet.Rules(), result) })
	schema := sarifschema.Official(t)
	if err := schema.Validate(log); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	empty, text := object(t, func(w *strings.Builder) error {
		return vetreport.SARIF(w, vet.Rules()[:1], vetrun.Result{Root: result.Root})
	})
	if err := schema.Validate(empty); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
	if err := schema.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{}}}); err == nil {
		t.Error("the schema accepts a run without a tool")
	}
}

func TestSARIFFields(t *testing.T) {
	result := sample(t)
	log, text := object(t, func(w *strings.Builder) error { return vetreport.SARIF(w, vet.Rules(), result) })
	run := at(t, log, "runs", 0)
	place := []any{"results", 0, "locations", 0, "physicalLocation"}
	deleted := []any{"results", 0, "fixes", 0, "artifactChanges", 0, "replacements", 0}
	in := func(path []any, more ...any) []any { return append(append([]any{}, path...), more...) }
	for _, c := range []struct {
		want any
		path []any
	}{
		{"slicegrowth", []any{"results", 0, "ruleId"}},
		{5, []any{"results", 0, "ruleIndex"}},
		{"slicegrowth", []any{"tool", "driver", "rules", 5, "id"}},
		{vet.Rules()[5].Title, []any{"tool", "driver", "rules", 5, "shortDescription", "text"}},
		{vet.Rules()[5].Doc(), []any{"tool", "driver", "rules", 5, "help", "text"}},
		{"in%20ner/a.go", in(place, "artifactLocation", "uri")},
		{"%SRCROOT%", in(place, "artifactLocation", "uriBaseId")},
		{"file://" + filepath.ToSlash(result.Root) + "/", []any{"originalUriBaseIds", "%SRCROOT%", "uri"}},
		{3, in(place, "region", "startLine")},
		{13, in(place, "region", "startColumn")}, // a count of characters, not bytes
		{"make room", []any{"results", 0, "fixes", 0, "description", "text"}},
		{25, in(deleted, "deletedRegion", "byteOffset")},
		{1, in(deleted, "deletedRegion", "byteLength")},
		{13, in(deleted, "deletedRegion", "startColumn")},
		{14, in(deleted, "deletedRegion", "endColumn")},
		{"y", in(deleted, "insertedContent", "text")},
		{"file:///else/where.go", []any{"results", 1, "locations", 0, "physicalLocation", "artifactLocation", "uri"}},
		{nil, []any{"results", 1, "locations", 0, "physicalLocation", "artifactLocation", "uriBaseId"}},
		{false, []any{"invocations", 0, "executionSuccessful"}},
		{"not analyzed: package example.org/bad: wrong", []any{"invocations", 0, "toolExecutionNotifications", 0, "message", "text"}},
		{"not analyzed: the tests of package example.org/good, which imports example.org/bad: wrong", []any{"invocations", 0, "toolExecutionNotifications", 2, "message", "text"}},
	} {
		if got := at(t, run, c.path...); got != c.want {
			t.Errorf("%v is %v, want %v in\n%s", c.path, got, c.want, text)
		}
	}
}

func TestJSON(t *testing.T) {
	result := sample(t)
	got, text := object(t, func(w *strings.Builder) error { return vetreport.JSON(w, result) })
	want, err := jsonschema.UnmarshalJSON(strings.NewReader(`{"srcRoot": ` + strconv.Quote(result.Root) + `, "findings": [
		{"rule": "slicegrowth", "file": "in ner/a.go", "line": 3, "column": 15, "message": "x grows",
		 "fix": {"description": "make room", "edits": [{"file": "in ner/a.go", "start": 25, "end": 26, "new": "y"}]}},
		{"rule": "useafterput", "file": "/else/where.go", "line": 7, "column": 2, "message": "x < y"}],
		"notLookedAt": [
		{"package": "example.org/bad", "mistakes": [{"file": "in ner/a.go", "line": 1, "column": 1, "text": "wrong"}, {"text": "no place"}]},
		{"package": "example.org/good", "onlyTests": true, "imports": "example.org/bad", "mistakes": [{"file": "in ner/a.go", "line": 1, "column": 1, "text": "wrong"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) || !strings.Contains(text, "x < y") {
		t.Errorf("got\n%s", text)
	}
	if _, text := object(t, func(w *strings.Builder) error { return vetreport.JSON(w, vetrun.Result{}) }); !strings.Contains(text, `"findings": []`) || !strings.Contains(text, `"notLookedAt": []`) {
		t.Errorf("nothing found is\n%s", text)
	}
}

func TestTroublesAreReportedOnce(t *testing.T) {
	result := sample(t)
	result.Troubles = append(result.Troubles, vetrun.Trouble{Package: "example.org/user", Imports: "example.org/gone", Mistakes: []vetrun.Mistake{{Text: "not to be had"}}},
		vetrun.Trouble{Package: "example.org/user2", Imports: "example.org/gone", Mistakes: []vetrun.Mistake{{Text: "not to be had"}}})
	for range 11 {
		result.Troubles[0].Mistakes = append(result.Troubles[0].Mistakes, vetrun.Mistake{Text: "more " + strconv.Itoa(len(result.Troubles[0].Mistakes))})
	}
	got := vetreport.Troubles(result.Root, result.Troubles)
	want := []string{"package example.org/bad does not compile: in ner/a.go:1:1: wrong", "package example.org/bad does not compile: no place"}
	for i := 2; i < 10; i++ {
		want = append(want, "package example.org/bad does not compile: more "+strconv.Itoa(i))
	}
	want = append(want, "package example.org/bad does not compile: and 3 more errors",
		"package example.org/gone cannot be imported: not to be had",
		"not analyzed: package example.org/bad",
		"not analyzed: the tests of package example.org/good, which imports example.org/bad",
		"not analyzed: package example.org/user, which imports example.org/gone",
		"not analyzed: package example.org/user2, which imports example.org/gone")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
