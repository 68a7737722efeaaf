// Package analyzer offers the proposals of coppice find as fixes of the go command. `go vet
// -vettool` and `go fix -fixtool` make the same edits as `coppice fix`, but do not prove them.
//
//	analyzer.go  the analyzer
//	report.go    the reports that coppice find -json writes
package analyzer

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Analyzer reports the proposals of a report. It reports nothing unless the flag that names the
// report is set.
var Analyzer = build()

func build() *analysis.Analyzer {
	from := ""
	a := &analysis.Analyzer{
		Name: "coppicefix",
		Doc: `offer the proposals of coppice find as fixes

With -coppicefix.from=find.json, a file that coppice find -json wrote, each proposal that needs no decision by hand is
reported at its first site, with the edits that coppice fix makes. A report about other sources is rejected. The go command
caches results by the name of the report: give each report its own name. Unlike coppice fix, it proves nothing: run the tests,
and coppice prove.`,
		Run: func(pass *analysis.Pass) (any, error) { return nil, run(pass, from) },
	}
	a.Flags.StringVar(&from, "from", "", "report from coppice find -json; a relative path is searched for in the package's folder and its parents")
	return a
}

func run(pass *analysis.Pass, from string) error {
	if from == "" || len(pass.Files) == 0 {
		return nil
	}
	all, err := read(from, filepath.Dir(pass.Fset.File(pass.Files[0].FileStart).Name()))
	if err != nil {
		return err
	}
	o := &offer{pass: pass, pkg: loaded(pass)}
	for _, r := range all {
		o.report(r)
	}
	return nil
}

// An offer holds the state of the analyzer for one package.
type offer struct {
	pass  *analysis.Pass
	pkg   *packages.Package
	world *change.World // nil until a change needs it
	seen  []string      // the IDs of proposals already reported
}

// report offers the proposals of a report that concern the package.
func (o *offer) report(r *report) {
	own := r.sitesOf(o.pkg)
	if len(own) == 0 {
		return
	}
	fresh, stale := o.currentFacts(own)
	for i, p := range r.Proposals {
		if !remedies.Can(p.Remedy) || slices.Contains(o.seen, p.ID) {
			continue
		}
		var sites []*site.Site
		lost := (*site.Site)(nil)
		for _, s := range own {
			if !slices.Contains(p.Sites, s.ID) {
				continue
			}
			if stale[s.ID] {
				lost = s
			} else {
				sites = append(sites, fresh[s.ID])
			}
		}
		title := fmt.Sprintf("proposal %d, %s", i+1, p.Title)
		switch {
		case lost != nil:
			o.say(lost, title+", is about sources that have changed; run coppice find -json again", nil)
		case len(sites) > 0:
			o.propose(p, sites, title)
		default:
			continue
		}
		o.seen = append(o.seen, p.ID)
	}
}

// currentFacts computes the facts of the package's sites from the current source. By the IDs of the
// old sites, it returns the new sites, and whether each old site has disappeared or changed.
func (o *offer) currentFacts(own []*site.Site) (fresh map[string]*site.Site, stale map[string]bool) {
	fresh, stale = map[string]*site.Site{}, map[string]bool{}
	var copies []*site.Site
	copies = slices.Grow(copies, len(own))
	for _, s := range own {
		again := *s
		copies = append(copies, &again)
	}
	facts.Again(o.pkg, copies)
	for i, s := range own {
		now := copies[i]
		fresh[s.ID] = now
		a, b := s.Facts, now.Facts
		stale[s.ID] = s.ID != now.ID || a.Kind != b.Kind || a.Type != b.Type || a.Callee != b.Callee || b.Expr == nil
	}
	return fresh, stale
}

// propose reports a proposal with its edits, or with the reason why there are none.
func (o *offer) propose(p site.Proposal, sites []*site.Site, title string) {
	made, err := remedies.Make(context.Background(), p.Remedy, change.Request{
		Package: o.pkg, Sites: sites, Language: language(o.pass), Library: change.HasLibrary(findInParents("go.mod", o.pkg.Dir)),
		Around: o.loadModule,
	})
	if err != nil {
		o.say(sites[0], title+", is not applied: "+err.Error(), nil)
		return
	}
	if len(made.Edits.Created()) > 0 {
		o.say(sites[0], fmt.Sprintf("%s, adds a file, which a fix of the go command cannot do; run coppice fix -only %s", title, p.ID), nil)
		return
	}
	list, err := made.Edits.List()
	if err != nil {
		o.say(sites[0], title+", is not applied: "+err.Error(), nil)
		return
	}
	fix := analysis.SuggestedFix{Message: p.Title}
	for _, e := range list {
		f := o.file(e.File)
		if f == nil || e.End > f.Size() {
			o.say(sites[0], title+", is not applied: it changes other packages; run coppice fix -only "+p.ID, nil)
			return
		}
		fix.TextEdits = append(fix.TextEdits, analysis.TextEdit{Pos: f.Pos(e.Start), End: f.Pos(e.End), NewText: []byte(e.Text)})
	}
	o.say(sites[0], title+": "+strings.Join(made.Done, "; "), []analysis.SuggestedFix{fix})
}

// loadModule returns the code of the module that contains the package. It includes the other
// packages of the module, which a pass does not contain. The module is loaded only once.
func (o *offer) loadModule() (w *change.World, err error) {
	if o.world == nil {
		o.world, err = change.Look(context.Background(), o.pkg.Dir, nil, o.pkg)
	}
	return o.world, err
}

// say reports a message at a site.
func (o *offer) say(s *site.Site, message string, fixes []analysis.SuggestedFix) {
	pos := o.pass.Files[0].Package
	if at := s.Facts.Expr; at != nil {
		if f := o.file(at.File); f != nil && at.From <= f.Size() {
			pos = f.Pos(at.From)
		}
	} else if f := o.file(s.File); f != nil && s.Line <= f.LineCount() {
		pos = f.LineStart(s.Line)
	}
	o.pass.Report(analysis.Diagnostic{Pos: pos, Message: message, SuggestedFixes: fixes})
}

// file returns the file of the package that has the given name, or nil if the package does not
// contain it.
func (o *offer) file(name string) *token.File {
	for _, file := range o.pass.Files {
		if f := o.pass.Fset.File(file.FileStart); f.Name() == name {
			return f
		}
	}
	return nil
}

// loaded converts the package of a pass to a packages.Package, which package change needs.
func loaded(pass *analysis.Pass) *packages.Package {
	p := &packages.Package{
		ID: pass.Pkg.Path(), Name: pass.Pkg.Name(), PkgPath: pass.Pkg.Path(), Imports: map[string]*packages.Package{},
		Fset: pass.Fset, Syntax: slices.Clone(pass.Files), Types: pass.Pkg, TypesInfo: pass.TypesInfo, TypesSizes: pass.TypesSizes,
	}
	p.Syntax = slices.DeleteFunc(p.Syntax, func(f *ast.File) bool { return f == nil })
	for _, f := range p.Syntax {
		p.GoFiles = append(p.GoFiles, pass.Fset.File(f.FileStart).Name())
	}
	p.CompiledGoFiles = slices.Clone(p.GoFiles)
	p.Dir = filepath.Dir(p.GoFiles[0])
	p.IgnoredFiles, p.OtherFiles = slices.Clone(pass.IgnoredFiles), slices.Clone(pass.OtherFiles)
	return p
}
