package vetreport

import (
	"encoding/json"
	"io"

	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/vetrun"
)

// A document is the output of coppice vet -json. docs/VET.md shows an example.
type document struct {
	SrcRoot     string        `json:"srcRoot"` // paths of files below it are relative to it
	Findings    []jsonFinding `json:"findings"`
	NotLookedAt []jsonTrouble `json:"notLookedAt"`
}

type jsonPlace struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // in bytes, from 1; none if a //line directive gives none
}

type jsonFinding struct {
	Rule string `json:"rule"`
	jsonPlace
	Message string   `json:"message"`
	Fix     *jsonFix `json:"fix,omitempty"`
}

type jsonFix struct {
	Description string     `json:"description"`
	Edits       []jsonEdit `json:"edits"`
}

// A jsonEdit replaces the bytes in the range [start, end) of a file.
type jsonEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

type jsonTrouble struct {
	Package  string        `json:"package"`
	Tests    bool          `json:"onlyTests,omitempty"`
	Imports  string        `json:"imports,omitempty"`
	Mistakes []jsonMistake `json:"mistakes"`
}

type jsonMistake struct {
	*jsonPlace
	Text string `json:"text"`
}

// JSON writes a result as a JSON object.
func JSON(w io.Writer, result vetrun.Result) error {
	file := func(name string) string {
		name, _ = sariflog.Below(result.Root, name)
		return name
	}
	d := document{SrcRoot: result.Root, Findings: []jsonFinding{}, NotLookedAt: []jsonTrouble{}}
	for _, f := range result.Findings {
		found := jsonFinding{f.Rule, jsonPlace{file(f.Position.Filename), f.Position.Line, f.Position.Column}, f.Message, nil}
		if len(f.Fix) > 0 {
			found.Fix = &jsonFix{Description: f.FixText}
			for _, e := range f.Fix {
				found.Fix.Edits = append(found.Fix.Edits, jsonEdit{file(e.File), e.Start, e.End, e.New})
			}
		}
		d.Findings = append(d.Findings, found)
	}
	for _, t := range result.Troubles {
		trouble := jsonTrouble{t.Package, t.Tests, t.Imports, []jsonMistake{}}
		for _, m := range t.Mistakes {
			mistake := jsonMistake{Text: m.Text}
			if at := m.Position; at.Filename != "" {
				mistake.jsonPlace = &jsonPlace{file(at.Filename), at.Line, at.Column}
			}
			trouble.Mistakes = append(trouble.Mistakes, mistake)
		}
		d.NotLookedAt = append(d.NotLookedAt, trouble)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(d)
}
