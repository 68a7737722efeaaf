package main

import (
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/testkit/compiler"
	"github.com/coppice-go/coppice/workloads/json/go/measure"
	"github.com/coppice-go/coppice/workloads/json/go/parse"
	"github.com/coppice-go/coppice/workloads/json/go/tokens"
)

// documents contain every kind of value. They have the same names as the real documents, so that
// paths are looked up in them. `make contenders` reads the real documents.
var documents = []measure.Document{
	{Name: "twitter_status", Text: []byte(`{"statuses":[{"user":{"screen_name":"é","followers_count":3},"x":[null,true,false,-1.5,[],{}]},
		{"user":null,"retweeted_status":{"id":5000000000}},{"entities":{"hashtags":[{"text":"a"}]}}],"search_metadata":{"count":100}}`)},
	{Name: "canada_geometry", Text: []byte(`{"features":[{"geometry":{"coordinates":[[[1.5,-2.5]],[[1,2],[3,4]]]},"properties":{"name":"n"}}]}`)},
	{Name: "golang_source", Text: []byte(`["tree"]`)},
}

// TestContendersAgree verifies that all contenders print the same output.
func TestContendersAgree(t *testing.T) {
	want := ""
	for _, c := range contenders {
		var out strings.Builder
		if _, err := measure.Run(c, documents, 7, &out); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
		if want == "" {
			want = out.String()
		}
		if out.String() != want {
			t.Errorf("%s printed\n%s%s printed\n%s", c.Name, out.String(), contenders[0].Name, want)
		}
	}
}

// TestFlatTakesSixteenBytes verifies that a value takes at most 16 bytes, including its reference
// and its key but excluding its string.
func TestFlatTakesSixteenBytes(t *testing.T) {
	all, err := measure.Documents("../peers")
	if err != nil {
		t.Skipf("the documents are not here: %v", err)
	}
	for _, d := range all {
		tree, err := parse.NewFlat(&tokens.Fast{}).Parse(d.Text)
		if err != nil {
			t.Fatal(err)
		}
		var totals measure.Totals
		flatDOM{tree}.Walk(&totals)
		structure := float64(tree.NumBytes()) - float64(totals.StringBytes)
		if each := structure / float64(totals.Values()); each > 16 {
			t.Errorf("%s: %.1f bytes a value", d.Name, each)
		}
	}
}

// TestFlatReadsWithoutAllocation verifies that walks and lookups do not allocate.
func TestFlatReadsWithoutAllocation(t *testing.T) {
	if checks.Enabled || compiler.ChecksPointers() {
		t.Skip("checked builds, and such as check pointers, allocate")
	}
	d, err := newFlat(&tokens.Fast{})(documents[0].Text)
	if err != nil {
		t.Fatal(err)
	}
	path := measure.Path{Steps: []measure.Step{{Key: "statuses", Index: -1}, {Key: "1", Index: 1}, {Key: "user", Index: -1}}}
	var totals measure.Totals
	if got := testing.AllocsPerRun(100, func() { d.Walk(&totals); d.Get(path) }); got != 0 {
		t.Errorf("%v allocations", got)
	}
	if d.Get(path) != measure.AnswerNull {
		t.Error("the path does not lead to null")
	}
}
