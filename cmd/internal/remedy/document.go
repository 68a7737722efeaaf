package remedy

import (
	"github.com/coppice-go/coppice/cmd/internal/datafile"
	"github.com/coppice-go/coppice/cmd/internal/render/sariflog"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Document describes a remedy to the user. It is read from the file remedy.toml of the remedy.
type Document struct {
	Name site.Remedy `toml:"name"` // of its page, and in reports: one-array; its folder has no hyphens
	// Title describes the change in one line, and Help describes it in a few sentences. Both are
	// empty if the remedy changes nothing.
	Title string   `toml:"title"`
	Help  string   `toml:"help"`
	Price []string `toml:"price"` // what the change costs besides work
	If    []string `toml:"if"`    // what its estimate assumes, and what was not measured
}

// MustParse parses a document that is embedded in the program. It panics if the document is
// malformed or incomplete.
func MustParse(data []byte) Document {
	var d Document
	if err := datafile.TOML("remedy.toml", data, &d, ""); err != nil {
		panic("remedy.MustParse: " + err.Error())
	}
	if d.Name == "" || d.Title != "" && (d.Help == "" || len(d.Price) == 0 || len(d.If) == 0) {
		panic("remedy.MustParse: " + string(d.Name) + " lacks a name, a help, a price or a condition")
	}
	return d
}

// Page returns the web address of the documentation page of a remedy.
func Page(name site.Remedy) string { return sariflog.Page("docs/remedies/" + string(name) + ".md") }

// Help returns the command that prints the documentation page of a remedy. The command works in any
// folder.
func Help(name site.Remedy) string { return "coppice help remedy " + string(name) }
