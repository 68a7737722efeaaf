// Package sarifschema provides the schema of SARIF logs, for tests.
package sarifschema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Official returns the schema that the SARIF standard publishes. A copy comes with the library that
// writes the logs.
func Official(t testing.TB) *jsonschema.Schema {
	t.Helper()
	const where = "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	folder, err := exec.Command("go", "list", "-f", "{{.Dir}}", where).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", where, err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(folder)), "schema.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	literal := file.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.BasicLit)
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	const id = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	if object, ok := document.(map[string]any); !ok || object["id"] != id {
		t.Fatalf("the schema is not %s", id)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(id, document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile(id)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}
