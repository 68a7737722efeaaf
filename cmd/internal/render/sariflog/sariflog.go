// Package sariflog contains the common parts of all SARIF logs of Coppice.
package sariflog

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// Schema is the address of the schema of logs, version 2.1.0.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Homepage is the address of Coppice.
const Homepage = "https://github.com/coppice-go/coppice"

// Mark is the key of fingerprints that survive edits.
const Mark = "coppice/v1"

// srcRoot is the name that readers expect for the root of the sources.
const srcRoot = "%SRCROOT%"

// Page returns the address of a file of Coppice's repository: docs/FIND.md.
func Page(file string) string { return Homepage + "/blob/main/" + file }

// NewRun returns a run of a tool without rules and results.
func NewRun(tool string) *sarif.Run { return sarif.NewRunWithInformationURI(tool, Homepage) }

// Write writes a log of one run.
func Write(w io.Writer, run *sarif.Run) error {
	log := sarif.NewReport()
	log.Schema = Schema
	return log.AddRun(run).PrettyWrite(w)
}

// Text returns a text in the form that descriptions of rules have.
func Text(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}

// Relative returns the address of a file. The path has slashes, and is relative to the folder that
// a reader has open.
func Relative(path string) string { return (&url.URL{Path: path}).String() }

// A Root is the absolute path of a folder. The files in a log have paths relative to it.
type Root string

// Add names the root in a run.
func (r Root) Add(run *sarif.Run) {
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{srcRoot: *sarif.NewArtifactLocation().WithURI(fileURI(string(r)) + "/")})
}

// File returns the location of a file with an absolute path: relative to the root if the file is
// below the root.
func (r Root) File(name string) *sarif.ArtifactLocation {
	path, inside := Below(string(r), name)
	if !inside {
		return sarif.NewArtifactLocation().WithURI(fileURI(name))
	}
	return sarif.NewArtifactLocation().WithURI(Relative(path)).WithURIBaseID(srcRoot)
}

// Below returns the path of a file relative to a folder, with slashes, and true. For a file that is
// not below the folder it returns the path unchanged, and false.
func Below(root, name string) (string, bool) {
	relative, err := filepath.Rel(root, name)
	if err != nil || !filepath.IsLocal(relative) {
		return filepath.ToSlash(name), false
	}
	return filepath.ToSlash(relative), true
}

func fileURI(name string) string {
	path := filepath.ToSlash(name)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
