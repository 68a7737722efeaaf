package sariflog_test

import (
	"bytes"
	"testing"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/render/sarifschema"
)

func TestFile(t *testing.T) {
	root := sariflog.Root("/src/a b/m")
	for name, want := range map[string][2]string{
		"/src/a b/m/in ner/x:y.go": {"in%20ner/x:y.go", "%SRCROOT%"},
		"/src/a b/m/x:y.go":        {"./x:y.go", "%SRCROOT%"},
		"/src/a b/n/x.go":          {"file:///src/a%20b/n/x.go", ""},
		"/src/a b/m2/x.go":         {"file:///src/a%20b/m2/x.go", ""},
	} {
		at := root.File(name)
		if *at.URI != want[0] || at.URIBaseID == nil != (want[1] == "") || at.URIBaseID != nil && *at.URIBaseID != want[1] {
			t.Errorf("%s is %s below %v", name, *at.URI, at.URIBaseID)
		}
	}
}

func TestLogIsSARIF(t *testing.T) {
	run := sariflog.NewRun("coppice test")
	root := sariflog.Root("/m")
	root.Add(run)
	run.Tool.Driver.AddRule(sarif.NewReportingDescriptor().WithID("a").WithHelpURI(sariflog.Page("docs/A.md")).WithShortDescription(sariflog.Text("A")))
	run.AddResult(sarif.NewRuleResult("a").WithMessage(sarif.NewTextMessage("b")).
		AddLocation(sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().WithArtifactLocation(root.File("/m/a.go")))))
	var out bytes.Buffer
	if err := sariflog.Write(&out, run); err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := sarifschema.Official(t).Validate(log); err != nil {
		t.Error(err)
	}
	if schema := log.(map[string]any)["$schema"]; schema != sariflog.Schema {
		t.Errorf("the schema is %v", schema)
	}
}
