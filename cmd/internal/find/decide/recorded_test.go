package decide

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestRecorded verifies the decisions for real programs. Each file in testdata contains the 24 most
// expensive sites of a program, recorded by coppice find. docs/results/find/judged.md describes how
// they were recorded, and what allocators saved in these programs.
func TestRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		left    map[string]string // types to be left alone, and a substring of the reason
		propose bool              // whether an allocator must be proposed
	}{
		"iradix": {left: map[string]string{
			"Node": "Txn is not rare: an operation makes 19801 of them", "edge": "it outlives its maker, and is freed separately",
		}},
		"expr":      {left: map[string]string{"*file.Error": "Parser is not rare", "ast.IdentifierNode": "Parser is not rare"}},
		"vitess":    {left: map[string]string{"ColName": "yyParserImpl is not rare", "ComparisonExpr": "yyParserImpl is not rare", "AliasedTableExpr": "yyParserImpl is not rare"}},
		"gqlparser": {propose: true},
	} {
		t.Run(name, func(t *testing.T) {
			in := recorded(t, name)
			out := Decide(in)
			proposed := false
			for _, p := range out.Proposals {
				proposed = proposed || p.Remedy == "slab" || p.Remedy == "arena"
			}
			if proposed != test.propose {
				t.Errorf("an allocator is proposed: %v; %+v", proposed, out.Proposals)
			}
			for typ, why := range test.left {
				if !leavesOne(in.Sites, typ, why) {
					t.Errorf("no site of %s is left because %q", typ, why)
				}
			}
		})
	}
}

// recorded reads the recorded input for a program.
func recorded(t *testing.T, name string) Input {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Op       site.Op        `json:"op"`
		Classes  site.Classes   `json:"classes"`
		Ceiling  *site.Setting  `json:"ceiling"`
		Settings []site.Setting `json:"settings"`
		Sites    []*site.Site   `json:"sites"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return Input{Op: r.Op, Unit: "operation", Classes: r.Classes, Ceiling: r.Ceiling, Settings: r.Settings, Sites: r.Sites, Next: "-bench Operate ."}
}

// leavesOne reports whether a site that allocates values of type typ is left alone, and one of the
// reasons contains why.
func leavesOne(sites []*site.Site, typ, why string) bool {
	for _, s := range sites {
		if s.Facts.Type == typ && s.Remedy == site.Leave && strings.Contains(strings.Join(s.Why, "; "), why) {
			return true
		}
	}
	return false
}
