package show

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
)

// These are the rules to which findings belong.
const (
	regression = "coppice/regression" // a proven loss
	unequal    = "coppice/unequal"    // the programs behave differently
	undecided  = "coppice/undecided"
)

// A finding is a result that a reviewer should see.
type finding struct {
	rule, level, text, file, id string
	line                        int
}

// findings returns the losses, the unequal results and the undecided comparisons of a result.
func findings(r *prove.Result) (all []finding) {
	for _, c := range r.Comparisons {
		for _, text := range c.Equality.Unequal {
			all = append(all, finding{unequal, "error", text, "", text, 0})
		}
		for _, s := range c.Subjects {
			text := s.Name + ": " + strings.Join(s.Reasons, ", ")
			switch s.Verdict {
			case prove.Revert:
				all = append(all, finding{regression, "error", text, s.File, s.Package + "." + s.Name, s.Line})
			case prove.Undecided:
				all = append(all, finding{undecided, "note", text, s.File, s.Package + "." + s.Name, s.Line})
			}
		}
	}
	return all
}

// SARIF writes the findings of results as a SARIF log.
func SARIF(w io.Writer, results ...*prove.Result) error {
	run := sariflog.NewRun("coppice prove")
	for _, rule := range []struct{ id, text string }{
		{regression, "A benchmark is worse than before"},
		{unequal, "The program no longer does the same"},
		{undecided, "Neither a gain nor a loss is proven"},
	} {
		run.Tool.Driver.AddRule(sarif.NewReportingDescriptor().WithID(rule.id).WithHelpURI(sariflog.Page("docs/PROVE.md")).
			WithShortDescription(sariflog.Text(rule.text)))
	}
	var all []finding
	for _, r := range results {
		all = append(all, findings(r)...)
	}
	for _, f := range all {
		sum := sha256.Sum256([]byte(f.rule + " " + f.id))
		found := sarif.NewRuleResult(f.rule).WithLevel(f.level).WithMessage(sarif.NewTextMessage(f.text)).
			WithPartialFingerprints(map[string]string{sariflog.Mark: hex.EncodeToString(sum[:16])})
		if f.file != "" {
			found.AddLocation(sarif.NewLocation().WithPhysicalLocation(sarif.NewPhysicalLocation().
				WithArtifactLocation(sarif.NewArtifactLocation().WithURI(sariflog.Relative(f.file))).
				WithRegion(sarif.NewRegion().WithStartLine(f.line))))
		}
		run.AddResult(found)
	}
	return sariflog.Write(w, run)
}

// mostErrors is the maximum number of annotations that GitHub shows.
const mostErrors = 10

// These replacers escape the text of an annotation and its properties.
var (
	inText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub prints the findings that are errors as workflow commands. GitHub Actions shows them as
// annotations in the source.
func GitHub(w io.Writer, r *prove.Result) error {
	n := 0
	for _, f := range findings(r) {
		if f.level != "error" {
			continue
		}
		if n++; n > mostErrors {
			break
		}
		place := ""
		if f.file != "" {
			place = fmt.Sprintf(" file=%s,line=%d", inProperty.Replace(f.file), f.line)
		}
		text := inText.Replace(f.text)
		if _, err := fmt.Fprintf(w, "::error%s::%s\n", place, text); err != nil {
			return err
		}
	}
	return nil
}
