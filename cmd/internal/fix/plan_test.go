package fix

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/grammar"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// TestJoin verifies that join rejects a change that conflicts with the earlier ones, and leaves the
// earlier ones unchanged.
func TestJoin(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	const source = "package a\n\nvar a, b = 1, 2\n"
	if err := os.WriteFile(name, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	one := func(from, to int, text string) *planned {
		s := &planned{Step: &Step{Proposals: []find.Proposal{{}}}}
		s.edits.Replace(fset, file.FileStart+token.Pos(from), file.FileStart+token.Pos(to), text)
		return s
	}
	at := strings.Index(source, "1")
	small := one(at, at+1, "3")
	for wrong, s := range map[string]*planned{"overlap": one(at, at+4, "5, 6"), "would not compile": one(at+3, at+4, ")")} {
		if err := small.join(s); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	if err := small.join(one(at+3, at+4, "4")); err != nil {
		t.Fatal(err)
	}
	files, err := (&Options{works: &grammar.Works{}}).sum(t.Context(), []*planned{small})
	if want := "package a\n\nvar a, b = 3, 4\n"; err != nil || string(files[name]) != want || len(small.Proposals) != 2 {
		t.Errorf("%q of %d proposals, want %q of 2 (%v)", files[name], len(small.Proposals), want, err)
	}
}

// TestMistakeOfOneProposal verifies that a panic in one proposal is reported as the reason to leave
// it out, and that the other proposals are still tried.
func TestMistakeOfOneProposal(t *testing.T) {
	const wrong site.Remedy = "a remedy with a mistake"
	remedyOf = func(site.Remedy) *remedy.Remedy {
		return &remedy.Remedy{Draft: func(*change.Request) (map[string][]byte, []string, error) { panic("mistake") }}
	}
	defer func() { remedyOf = remedies.Of }()
	o := calc(t)
	o.From.Sites[0].Proposal = "wrong"
	o.From.Proposals = append(o.From.Proposals, find.Proposal{ID: "wrong", Remedy: wrong})
	r := &Result{}
	steps, err := o.plan(t.Context(), o.From, r)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 1 || len(r.Steps) != 1 || r.Steps[0].State != Left || !strings.Contains(r.Steps[0].Why, "please report it: mistake") {
		t.Errorf("there are %d steps to try, and %+v", len(steps), r.Steps)
	}
}
