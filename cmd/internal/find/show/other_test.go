package show_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/find/show"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/render/sarifschema"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

func TestJSON(t *testing.T) {
	for _, name := range []string{"rich", "empty"} {
		var out bytes.Buffer
		if err := show.JSON(&out, results()[name]); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".json", out.Bytes())
		if strings.Contains(out.String(), "null") {
			t.Errorf("%s: there is a null", name)
		}
		back := &find.Result{}
		decoder := json.NewDecoder(&out)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(back); err != nil {
			t.Fatal(err)
		}
		if name == "rich" && (back.Sites[2].Leaf.Line != 1163 || back.Sites[0].Line != 325 || back.Sites[0].Malloc != 0.069 || back.Ceiling.CPU.Ratio != 0.805) {
			t.Errorf("it does not come back: %+v", back.Sites[2])
		}
	}
	var out bytes.Buffer
	if err := show.JSON(&out, rich(), leaveAlone()); err != nil {
		t.Fatal(err)
	}
	var all []find.Result
	if err := json.Unmarshal(out.Bytes(), &all); err != nil || len(all) != 2 {
		t.Errorf("%d results, %v", len(all), err)
	}
}

// TestReasonsForUnchangedSites verifies that a reason is printed for a site that allocates much and
// is left unchanged. For a small site no reason is printed.
func TestReasonsForUnchangedSites(t *testing.T) {
	for part, want := range map[float64]bool{0.3: true, 0.05: false} {
		r := rich()
		s := r.Sites[0]
		s.Remedy, s.Do, s.Proposal, s.ObjectsPart, s.BytesPart, s.Malloc = site.Leave, "leave", "", part, 0.01, 0.06
		s.Why = []string{"all die with the result", "a caller may keep it"}
		var out bytes.Buffer
		if err := show.Screen(&out, r, show.Options{All: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\n  leave parse.go:325: a caller may keep it\n"); got != want {
			t.Errorf("with %v of the objects the reason is there: %v\n%s", part, got, &out)
		}
		out.Reset()
		if err := show.Markdown(&out, r, show.Options{All: true}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "\n- leave parse.go:325: a caller may keep it\n"); got != want {
			t.Errorf("with %v of the objects the reason is in Markdown: %v\n%s", part, got, &out)
		}
	}
}

func TestJSONWithoutNumbers(t *testing.T) {
	r := rich()
	r.Sites[1].Malloc, r.Ceiling.CPU.Hi = math.NaN(), math.Inf(1)
	var out bytes.Buffer
	if err := show.JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"sites[1].malloc is not a number", "ceiling.cpu.hi is not a number"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no warning %q", want)
		}
	}
	if len(r.Warnings) != 1 || !math.IsNaN(r.Sites[1].Malloc) {
		t.Error("the result was changed")
	}
}

// TestManualHasAllFields verifies that docs/FIND.md documents each field of the JSON output.
func TestManualHasAllFields(t *testing.T) {
	manual, err := os.ReadFile("../../../../docs/FIND.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(s reflect.Type) {
		for s.Kind() == reflect.Pointer || s.Kind() == reflect.Slice {
			s = s.Elem()
		}
		if s.Kind() != reflect.Struct || seen[s] || !strings.Contains(s.PkgPath(), "coppice") {
			return
		}
		seen[s] = true
		for i := range s.NumField() {
			f := s.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" {
				continue // not in the output
			}
			if name != "" && !bytes.Contains(manual, []byte("`"+name+"`")) {
				t.Errorf("docs/FIND.md has no `%s` of %s", name, s)
			}
			look(f.Type)
		}
	}
	look(reflect.TypeFor[find.Result]())
	if len(seen) < 10 {
		t.Errorf("only %d types were looked at", len(seen))
	}
}

func TestSARIF(t *testing.T) {
	schema := sarifschema.Official(t)
	for name, r := range results() {
		var out bytes.Buffer
		if err := show.SARIF(&out, "/src/net", r, r); err != nil {
			t.Fatal(err)
		}
		log, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v in\n%s", name, err, out.String())
		}
		if name != "rich" {
			continue
		}
		golden(t, "rich.sarif", out.Bytes())
		run := log.(map[string]any)["runs"].([]any)[0].(map[string]any)
		rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
		notes := run["results"].([]any)
		if len(notes) != 4 {
			t.Fatalf("%d notes", len(notes))
		}
		for i, n := range notes {
			n := n.(map[string]any)
			index, _ := strconv.Atoi(n["ruleIndex"].(json.Number).String())
			if n["level"] != "note" || n["partialFingerprints"].(map[string]any)["coppice/v1"] != r.Sites[i].ID || rules[index].(map[string]any)["id"] != n["ruleId"] {
				t.Errorf("%v", n)
			}
		}
		for _, want := range []string{`"uri": "html/parse.go"`, `"uriBaseId": "%SRCROOT%"`, `"startLine": 325`, `"ruleId": "coppice/avoid-copy"`, "if bytes an operation rise"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("no %s in\n%s", want, out.String())
			}
		}
	}
}

// TestEachRemedyHasARule verifies that the SARIF output has a rule for each remedy except leave.
func TestEachRemedyHasARule(t *testing.T) {
	var out bytes.Buffer
	if err := show.SARIF(&out, "/", &find.Result{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range remedies.All() {
		if rule := strings.Contains(out.String(), `"id": "coppice/`+string(r.Name)+`"`); rule == (r.Name == site.Leave) {
			t.Errorf("rule for %s: %v", r.Name, rule)
		}
	}
}
