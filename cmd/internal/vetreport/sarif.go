package vetreport

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/vetrun"
	"github.com/coppice-go/coppice/cmd/vet"
)

// A sarifWriter converts positions to SARIF. It caches the contents of files with findings, which
// it needs because SARIF counts columns in characters, and Go in bytes.
type sarifWriter struct {
	root  sariflog.Root
	texts map[string][]byte
}

// SARIF writes a result as a SARIF log with a single run.
func SARIF(w io.Writer, rules []vet.Rule, result vetrun.Result) error {
	s := &sarifWriter{sariflog.Root(result.Root), map[string][]byte{}}
	run := sariflog.NewRun("coppice vet").WithColumnKind("unicodeCodePoints").AddInvocation(s.invocation(result.Troubles))
	s.root.Add(run)
	index := map[string]int{}
	for i, r := range rules {
		index[r.Name] = i
		run.Tool.Driver.AddRule(descriptor(r))
	}
	for _, f := range result.Findings {
		found := sarif.NewRuleResult(f.Rule).WithMessage(sarif.NewTextMessage(f.Message)).
			AddLocation(sarif.NewLocation().WithPhysicalLocation(s.place(f.Position.Filename, f.Position.Line, f.Position.Column)))
		found.RuleIndex = index[f.Rule]
		if len(f.Fix) > 0 {
			found.AddFixe(s.fix(f)) // as the library spells it
		}
		run.AddResult(found)
	}
	return sariflog.Write(w, run)
}

// descriptor returns the SARIF description of a rule.
func descriptor(r vet.Rule) *sarif.ReportingDescriptor {
	markdown := fmt.Sprintf("%s\n\nBefore:\n\n```go\n%s\n```\n\nAfter:\n\n```go\n%s\n```\n", strings.TrimSpace(r.Why), strings.TrimSpace(r.Before), strings.TrimSpace(r.After))
	return sarif.NewReportingDescriptor().WithID(r.Name).
		WithShortDescription(sariflog.Text(r.Title)).
		WithFullDescription(sariflog.Text(strings.TrimSpace(r.Why))).
		WithHelp(sariflog.Text(r.Doc()).WithMarkdown(markdown)).
		WithHelpURI(sariflog.Page("cmd/vet/" + r.Name + "/rule.toml"))
}

// invocation returns an invocation with a notification for each error in the packages that were not
// analyzed.
func (s *sarifWriter) invocation(troubles []vetrun.Trouble) *sarif.Invocation {
	run := sarif.NewInvocation().WithExecutionSuccessful(len(troubles) == 0)
	for _, t := range troubles {
		for i, m := range t.Mistakes {
			if i == most {
				break
			}
			n := sarif.NewNotification().WithLevel("error").WithMessage(sarif.NewTextMessage("not analyzed: " + notLookedAt(t) + ": " + m.Text))
			if at := m.Position; at.Filename != "" {
				n.AddLocation(sarif.NewLocation().WithPhysicalLocation(s.place(at.Filename, at.Line, at.Column)))
			}
			run.AddToolExecutionNotification(n)
		}
	}
	return run
}

// place returns the SARIF location for a line and a column in bytes, as Go counts them.
func (s *sarifWriter) place(name string, line, column int) *sarif.PhysicalLocation {
	at := sarif.NewPhysicalLocation().WithArtifactLocation(s.root.File(name))
	if line > 0 {
		region := sarif.NewRegion().WithStartLine(line)
		if column > 0 {
			region.WithStartColumn(s.characters(name, line, column))
		}
		at.WithRegion(region)
	}
	return at
}

// fix converts the suggested fix of a finding. The position of each edit is given both in bytes and
// as line and column.
func (s *sarifWriter) fix(f vetrun.Finding) *sarif.Fix {
	changes := map[string]*sarif.ArtifactChange{}
	fix := sarif.NewFix().WithDescription(sarif.NewTextMessage(f.FixText))
	for _, e := range f.Fix {
		if changes[e.File] == nil {
			changes[e.File] = sarif.NewArtifactChange().WithArtifactLocation(s.root.File(e.File))
			fix.AddArtifactChange(changes[e.File])
		}
		region := sarif.NewRegion().WithByteOffset(e.Start).WithByteLength(e.End - e.Start)
		line, column := s.lineOf(e.File, e.Start)
		region.WithStartLine(line).WithStartColumn(column)
		line, column = s.lineOf(e.File, e.End)
		region.WithEndLine(line).WithEndColumn(column)
		changes[e.File].AddReplacement(sarif.NewReplacement().WithDeletedRegion(region).
			WithInsertedContent(sarif.NewArtifactContent().WithText(e.New)))
	}
	return fix
}

// text returns the contents of a file, or nil if the file cannot be read any more.
func (s *sarifWriter) text(name string) []byte {
	text, known := s.texts[name]
	if !known {
		text, _ = os.ReadFile(name)
		s.texts[name] = text
	}
	return text
}

// characters converts a column from bytes to characters.
func (s *sarifWriter) characters(name string, line, column int) int {
	text := s.text(name)
	for range line - 1 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return utf8.RuneCount(text[:min(column-1, len(text))]) + max(0, column-1-len(text)) + 1
}

// lineOf returns the line, and the column in characters, of a byte offset in a file.
func (s *sarifWriter) lineOf(name string, offset int) (line, column int) {
	text := s.text(name)
	text = text[:min(offset, len(text))]
	start := bytes.LastIndexByte(text, '\n') + 1
	return bytes.Count(text, []byte("\n")) + 1, utf8.RuneCount(text[start:]) + 1
}
