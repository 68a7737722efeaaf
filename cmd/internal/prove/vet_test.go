package prove

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// Missing output must not be taken for a clean report: a go command with a damaged cache prints
// nothing.
func TestVetWithoutReports(t *testing.T) {
	const (
		list      = `{"ImportPath":"m/p","GoFiles":["p.go"],"XTestGoFiles":["p_test.go"]}`
		none      = `{}`
		complaint = `{"m/p":{"copylocks":[{"posn":"p.go:1:2","message":"copies lock"}]}}`
		broken    = `{"m/p":{"nilness":{"error":"no types"}}}`
	)
	for name, c := range map[string]struct{ base, cached, fresh, want string }{
		"clean":                    {none + none, none + none, "", ""},
		"a complaint":              {none + none, none + complaint, "", "go vet: p.go:1:2: copies lock"},
		"a complaint as before":    {none + complaint, complaint + none, "", ""},
		"nothing at first":         {none + none, "", none + complaint, "go vet: p.go:1:2: copies lock"},
		"one of two at first":      {none + none, none, none + none, ""},
		"nothing at all":           {none + none, "", "", "go vet: it reports on 0 of 2 packages and tests"},
		"a base that is not known": {none, none + none, "", "go vet: it reports on 0 of 2 packages and tests"},
		"an analyzer that fails":   {none + none, none + broken, "", `go vet: p: nilness: {"error":"no types"}`},
		"one that failed before":   {broken + none, broken + none, "", ""},
		"what cannot be read":      {none + none, "{", "", "go vet: unexpected EOF"},
		"lines of older versions":  {none + none, "# m/p\n" + none + "\n# m/p_test\n" + complaint, "", "go vet: p.go:1:2: copies lock"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &proof{Options: &Options{Changed: []string{"m/p"}, Show: silent{}}}
			for _, side := range []struct{ cached, fresh string }{{c.base, ""}, {c.cached, c.fresh}} {
				folder := t.TempDir()
				script := "#!/bin/sh\ncase \"$1 $3\" in\nlist*) cat list;;\n'vet -a') cat fresh;;\n*) cat cached;;\nesac\n"
				for file, text := range map[string]string{"go": script, "list": list, "cached": side.cached, "fresh": side.fresh} {
					if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				p.sides = append(p.sides, &gobench.Tree{Tree: trees.Tree{Dir: folder}, Overlay: &meter.Overlay{Go: filepath.Join(folder, "go")}})
			}
			got := ""
			if err := p.compareVet(t.Context()); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("it is %q; want %q", got, c.want)
			}
		})
	}
}

// silent is a Progress that shows no stages.
type silent struct{ Progress }

func (silent) Stage(string) {}
