package show

import (
	"io"
	"path/filepath"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// SARIF writes a SARIF log, version 2.1.0, with a note for each site that has a remedy. root is the
// absolute path of the repository, to which file names are relative. If a site is in several
// results, only the first of them adds a note.
func SARIF(w io.Writer, root string, results ...*find.Result) error {
	run := sariflog.NewRun("coppice find")
	sariflog.Root(root).Add(run)
	index := map[site.Remedy]int{}
	for _, r := range remedies.All() {
		if r.Title == "" { // the remedy called leave
			continue
		}
		index[r.Name] = len(index)
		page := remedy.Page(r.Name)
		run.Tool.Driver.AddRule(sarif.NewReportingDescriptor().WithID(ruleID(r.Name)).
			WithShortDescription(sariflog.Text(r.Title)).
			WithFullDescription(sariflog.Text(r.Help)).
			WithHelp(sariflog.Text(r.Help).WithMarkdown(r.Help + "\n\n[When, at what price, and how to undo it](" + page + ")")).
			WithHelpURI(page).
			WithDefaultConfiguration(sarif.NewReportingConfiguration().WithLevel("note")))
	}
	seen := map[string]bool{}
	for _, r := range results {
		v := viewOf(r, Options{All: true})
		for _, s := range v.Sites {
			rule, known := index[s.Remedy]
			if !known || seen[s.ID] {
				continue
			}
			seen[s.ID] = true
			found := v.note(sariflog.Root(root), s)
			found.RuleIndex = rule
			run.AddResult(found)
		}
	}
	return sariflog.Write(w, run)
}

func ruleID(r site.Remedy) string { return "coppice/" + string(r) }

// note returns the note for a site. It never shows an estimate without its conditions.
func (v *view) note(root sariflog.Root, s *site.Site) *sarif.Result {
	c := v.row(s)
	text := c.Do + ": " + c.Objects + " of the objects, " + c.Bytes + " of the bytes"
	if v.Classes.Samples > 0 {
		text += ", " + c.Malloc + " of the CPU time in malloc"
	}
	text += "; " + c.Fate
	if c.Type != "" {
		text += "; " + c.Type
	}
	if n := v.number(s); n > 0 {
		p := v.Result.Proposals[n-1]
		text += ". " + termtext.Plain(p.Title) + ", estimate " + estimate(p.Estimate)
		if len(p.Estimate.If) > 0 {
			text += ", if " + list(p.Estimate.If)
		}
	}
	at := sarif.NewLocation().AddLogicalLocation(sarif.NewLogicalLocation().WithKind("function").WithFullyQualifiedName(termtext.Plain(s.Package + "." + s.Function)))
	if filepath.IsAbs(s.File) {
		physical := sarif.NewPhysicalLocation().WithArtifactLocation(root.File(s.File))
		if s.Line > 0 {
			physical.WithRegion(sarif.NewRegion().WithStartLine(s.Line))
		}
		at.WithPhysicalLocation(physical)
	}
	found := sarif.NewRuleResult(ruleID(s.Remedy)).WithLevel("note").WithMessage(sarif.NewTextMessage(sentence(text))).AddLocation(at)
	if s.ID != "" {
		found.WithPartialFingerprints(map[string]string{sariflog.Mark: s.ID})
	}
	return found
}
