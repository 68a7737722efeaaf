// Package sariflog contains the code and constants that all SARIF logs of Coppice share.
package sariflog

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
)

// Schema is the URL of the SARIF schema, version 2.1.0.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Homepage is the URL of Coppice.
const Homepage = "https://github.com/coppice-go/coppice"

// Mark is the key of the fingerprints in a log. A fingerprint stays the same when the source is
// edited.
const Mark = "coppice/v1"

// srcRoot is the name of the source root that SARIF readers expect.
const srcRoot = "%SRCROOT%"

// Page returns the URL of a file in Coppice's repository, such as docs/FIND.md.
func Page(file string) string { return Homepage + "/blob/main/" + file }

// NewRun returns a run of the given tool, without rules and results.
func NewRun(tool string) *sarif.Run { return sarif.NewRunWithInformationURI(tool, Homepage) }

// Write writes a log with a single run.
func Write(w io.Writer, run *sarif.Run) error {
	log := sarif.NewReport()
	log.Schema = Schema
	return log.AddRun(run).PrettyWrite(w)
}

// Text converts text to the type of rule descriptions.
func Text(text string) *sarif.MultiformatMessageString {
	return sarif.NewMultiformatMessageString().WithText(text)
}

// Relative returns the URL of a file. path is slash-separated and relative to the folder that is
// open in the tool that reads the log.
func Relative(path string) string { return (&url.URL{Path: path}).String() }

// A Root is the absolute path of a folder. File paths in a log are relative to this folder.
type Root string

// Add records the root in run.
func (r Root) Add(run *sarif.Run) {
	run.WithOriginalUriBaseIds(map[string]sarif.ArtifactLocation{srcRoot: *sarif.NewArtifactLocation().WithURI(fileURI(string(r)) + "/")})
}

// File returns the location of the file with the absolute path name. The location is relative to
// the root if the file is below the root.
func (r Root) File(name string) *sarif.ArtifactLocation {
	path, inside := Below(string(r), name)
	if !inside {
		return sarif.NewArtifactLocation().WithURI(fileURI(name))
	}
	return sarif.NewArtifactLocation().WithURI(Relative(path)).WithURIBaseID(srcRoot)
}

// Below returns the slash-separated path of a file relative to root, and true. If the file is not
// below root, it returns name unchanged and false.
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
		path = "/" + path // name begins with a drive letter
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
