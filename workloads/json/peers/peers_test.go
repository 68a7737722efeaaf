package main

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/workloads/json/go/domflat"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// TestOutput verifies that every peer prints the contents of ../expect/documents.txt for the real
// documents.
func TestOutput(t *testing.T) {
	want, err := os.ReadFile("../expect/documents.txt")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := measure.Documents(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range contenders {
		var out strings.Builder
		if _, err := measure.Run(c, documents, 0, &out); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if out.String() != string(want)+"1 of each, 223033 values\n" {
			t.Errorf("%s printed\n%s", c.Name, out.String())
		}
	}
}

// TestSuite verifies that for each vector of JSONTestSuite, flat documents give the same result as
// encoding/json and reject the same texts. Both differ from the suite in two points: they replace
// invalid UTF-8, and they reject numbers outside the range of float64.
func TestSuite(t *testing.T) {
	all := vectors(t)
	for _, source := range []tokens.Source{&tokens.Fast{}, &tokens.Standard{}} {
		parser := parse.NewFlat(source)
		for name, text := range all {
			checkVector(t, parser, name, text)
		}
	}
}

// vectors returns the texts of JSONTestSuite by name. They are part of the module sonic.
func vectors(t *testing.T) (all map[string]string) {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bytedance/sonic").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(strings.TrimSpace(string(folder)), "testdata", "JSONTestSuite", "testdata.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 300 {
		t.Errorf("only %d vectors", len(all))
	}
	return all
}

func checkVector(t *testing.T, parser *parse.Flat, name, text string) {
	t.Helper()
	var want any
	wantErr := json.Unmarshal([]byte(text), &want)
	tree, err := parser.Parse([]byte(text))
	if (err == nil) != (wantErr == nil) {
		t.Errorf("%s, %.60q: error %v, encoding/json has %v", name, text, err, wantErr)
	}
	if err != nil || wantErr != nil {
		return
	}
	pointers, err := domflat.ToTree(tree, flat.LoadLimits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := parse.AsAny(pointers); !reflect.DeepEqual(got, want) {
		t.Errorf("%s, %.60q: %v, encoding/json has %v", name, text, got, want)
	}
}
