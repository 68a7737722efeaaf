package analyzer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// schema is the version of the reports that read accepts.
const schema = 1

// A report contains the fields of a find.Result that the analyzer needs.
type report struct {
	Schema    int             `json:"schema"`
	Sites     []*site.Site    `json:"sites"`
	Proposals []site.Proposal `json:"proposals"`
}

// read reads a file that contains a report or a list of reports. The go command runs tools in the
// folder of the package, so read searches for a relative name in that folder and in its parents.
func read(name, folder string) ([]*report, error) {
	data, err := os.ReadFile(findInParents(name, folder))
	if err != nil {
		return nil, err
	}
	var all []*report
	if data = bytes.TrimSpace(data); bytes.HasPrefix(data, []byte("[")) {
		err = json.Unmarshal(data, &all)
	} else {
		all = []*report{{}}
		err = json.Unmarshal(data, all[0])
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not a report from coppice find -json: %w", name, err)
	}
	for _, r := range all {
		if r == nil || r.Schema != schema {
			return nil, fmt.Errorf("%s was written by another version of coppice find; run coppice find -json again", name)
		}
	}
	return all, nil
}

// findInParents searches for the file in the folder and its parents, and returns the first path
// found. If there is none, it returns name.
func findInParents(name, folder string) string {
	if filepath.IsAbs(name) {
		return name
	}
	for {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
		up := filepath.Dir(folder)
		if up == folder {
			return name
		}
		folder = up
	}
}

// sitesOf returns the sites that are in a package.
func (r *report) sitesOf(pkg *packages.Package) (own []*site.Site) {
	for _, s := range r.Sites {
		if s != nil && (s.Package == pkg.PkgPath || s.Package == "main" && pkg.Name == "main" && filepath.Dir(s.File) == pkg.Dir) {
			own = append(own, s)
		}
	}
	return own
}

// language returns the language version of a package.
func language(pass *analysis.Pass) string {
	if v := pass.Pkg.GoVersion(); v != "" {
		return v
	}
	const oldest = "go1.16" // language version of modules without a go directive
	return oldest
}
