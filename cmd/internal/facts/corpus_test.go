package facts

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/coppice-go/coppice/cmd/internal/facts/escapes"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A wanted is a site of the corpus, and what its comment says: // want kind=literal type=Node loop
// Of mean=, objects=, in=, file= and leaf= the site is made. Spaces are written as underscores.
// Flags that are not there must not be facts; other facts that are not there may be anything.
type wanted struct {
	site  *site.Site
	at    string
	words map[string]string
}

// hasCgo reports whether the go command builds packages that use cgo.
func hasCgo(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out)) == "1"
}

// TestCorpus compares the facts about the modules in testdata with the comments in their source.
func TestCorpus(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatal("there is no corpus", err)
	}
	kinds := map[site.Kind]int{}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			if strings.HasPrefix(filepath.Base(name), "cgo") && !hasCgo(t) {
				t.Skip("the go command has no C compiler here")
			}
			dir := extract(t, name)
			all := wants(t, dir)
			var sites []*site.Site
			sites = slices.Grow(sites, len(all))
			for _, w := range all {
				sites = append(sites, w.site)
			}
			if _, err := Fill(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}}, sites); err != nil {
				t.Fatal(err)
			}
			ids := map[string]string{}
			for _, w := range all {
				w.compare(t)
				if other := ids[w.site.ID]; other != "" || w.site.ID == "" {
					t.Errorf("%s has the ID %q, as has %s", w.at, w.site.ID, other)
				}
				ids[w.site.ID] = w.at
				kinds[w.site.Facts.Kind]++
			}
		})
	}
	for _, kind := range []site.Kind{site.Literal, site.New, site.MakeSlice, site.MakeMap, site.MakeChan, site.Append, site.ToString, site.ToBytes,
		site.Concat, site.Box, site.Variadic, site.Closure, site.Moved, site.Call, site.Goroutine} {
		if kinds[kind] < 2 {
			t.Errorf("the corpus has %d sites of kind %s; want 2", kinds[kind], kind)
		}
	}
}

// TestCorpusBrief treats all packages as large. The facts must be the same, except that the
// compiler does not explain why a value escapes.
func TestCorpusBrief(t *testing.T) {
	defer func(before int) { escapes.LargeSource = before }(escapes.LargeSource)
	escapes.LargeSource = 0
	archives, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range archives {
		if strings.HasPrefix(filepath.Base(name), "cgo") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			dir := extract(t, name)
			all := wants(t, dir)
			var sites []*site.Site
			sites = slices.Grow(sites, len(all))
			for _, w := range all {
				delete(w.words, "flow")
				if w.words["kind"] == string(site.Goroutine) { // it has no brief message
					delete(w.words, "escapes")
				}
				sites = append(sites, w.site)
			}
			if _, err := Fill(context.Background(), Options{Dir: dir, Patterns: []string{"./..."}}, sites); err != nil {
				t.Fatal(err)
			}
			for _, w := range all {
				w.compare(t)
				f := w.site.Facts
				for _, e := range f.Escapes {
					if len(e.Flow) > 0 || f.NoFlow == "" {
						t.Errorf("%s: %s has a flow, or no reason why not: %q", w.at, e.Message, f.NoFlow)
					}
				}
			}
		})
	}
}

// extract writes the files of an archive to a temporary folder.
func extract(t *testing.T, name string) string {
	t.Helper()
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// wants returns the expectations in the comments of a module.
func wants(t *testing.T, dir string) (all []wanted) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.ParseComments)
		if file == nil {
			return err
		}
		folder, err := filepath.Rel(dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		path := filepath.ToSlash(filepath.Join(modfile.ModulePath(mod), folder))
		if _, vendored, ok := strings.Cut(filepath.ToSlash(folder), "vendor/"); ok {
			path = vendored
		}
		switch {
		case file.Name.Name == "main":
			path = "main"
		case strings.HasSuffix(file.Name.Name, "_test"):
			path += "_test"
		}
		for _, group := range file.Comments {
			for _, c := range group.List {
				if text, ok := strings.CutPrefix(c.Text, "// want "); ok {
					all = append(all, newWanted(files, file, path, c.Pos(), text))
				}
			}
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatal("nothing is wanted", err)
	}
	return all
}

func newWanted(files *token.FileSet, file *ast.File, path string, pos token.Pos, text string) wanted {
	p := files.Position(pos)
	w := wanted{words: map[string]string{}, at: fmt.Sprintf("%s:%d", filepath.Base(p.Filename), p.Line)}
	for word := range strings.FieldsSeq(text) {
		key, value, _ := strings.Cut(word, "=")
		w.words[key] = strings.ReplaceAll(value, "_", " ")
	}
	function := "init"
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Pos() <= pos && pos < d.End()+token.Pos(len(text)) {
			function = linkerName(d)
		}
	}
	w.site = &site.Site{Place: site.Place{Package: path, Function: function + w.words["in"], File: p.Filename, Line: p.Line}}
	if of, name, ok := strings.Cut(w.words["leaf"], "."); ok {
		w.site.Leaf = &site.Place{Package: of, Function: name, File: of + ".go", Line: 1}
	}
	if name, ok := w.words["file"]; ok { // the file name in the profile
		w.site.File = name
	}
	w.site.Objects = 1
	if n, err := strconv.ParseFloat(w.words["objects"], 64); err == nil {
		w.site.Objects = n
	}
	if mean, err := strconv.ParseFloat(w.words["mean"], 64); err == nil {
		w.site.Bytes = mean * w.site.Objects
	}
	return w
}

// compare compares the facts about the site with the expected words.
func (w wanted) compare(t *testing.T) {
	t.Helper()
	f := w.site.Facts
	var owner site.Owner
	if len(f.Owners) > 0 {
		owner = f.Owners[0]
	}
	message, flow := "", ""
	if len(f.Escapes) > 0 {
		message, flow = f.Escapes[0].Message, strings.Join(f.Escapes[0].Flow, "; ")
	}
	var owners []string
	owners = slices.Grow(owners, len(f.Owners))
	for _, o := range f.Owners {
		owners = append(owners, o.Type)
	}
	above := ""
	for _, o := range f.Above {
		above = strings.TrimSpace(above + " " + o.Type + " " + o.How)
	}
	got := map[string]string{
		"kind": string(f.Kind), "type": f.Type, "size": fmt.Sprint(f.Size), "pointers": string(f.Pointers), "length": fmt.Sprint(f.Length),
		"known": f.Known, "callee": f.Callee, "beside": strings.Trim(fmt.Sprint(f.Beside), "[]"), "also": strings.Join(f.Also, ","),
		"nosource": f.NoSource, "escapes": message, "flow": flow, "owner": owner.Type, "owners": strings.Join(owners, ","), "how": owner.How, "lock": owner.Lock,
		"go": owner.Goroutine, "copied": owner.Copied, "global": owner.Global, "n": fmt.Sprint(owner.Instances), "within": fmt.Sprint(len(owner.Within)),
		"callers": fmt.Sprint(len(f.Callers)), "refilled": f.Refilled, "grows": "", "written": f.Written, "above": above, "returned": f.Returned,
		"plain": f.Plain, "whole": f.WholeField,
	}
	if f.Grows != nil {
		got["grows"] = fmt.Sprintf("%s %s %g", f.Grows.Type, f.Grows.How, f.Grows.Instances)
	}
	for word, want := range w.words {
		if is, ok := got[word]; ok && strings.ReplaceAll(is, "_", " ") != want {
			t.Errorf("%s: %s is %q; want %q", w.at, word, is, want)
		}
	}
	for flag, is := range map[string]bool{"loop": f.Loop, "result": f.Result, "test": f.Test, "generated": f.Generated, "directive": f.Directive, "unread": f.Unread} {
		if _, want := w.words[flag]; want != is {
			t.Errorf("%s: %s is %t", w.at, flag, is)
		}
	}
}
