package sources

import (
	"path"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
)

// results lists the files that the lab writes to a results folder. They are not treated as sources.
// Otherwise, writing results to a folder of sources would change the hash.
var results = []string{record.RunsFile, record.BenchFile, record.ReplacedFile, filelock.Name, experiment.SavedFile, "report.html", "ranking.svg"}

// written reports whether the lab wrote a file: the file belongs to a results folder or to a plan,
// or is the index page of several results folders.
func (t *Tree) written(name string) bool {
	folder, base := path.Dir(name), path.Base(name)
	if slices.Contains(results, base) && t.has(path.Join(folder, record.RunsFile)) || base == "index.html" && t.hasResults(folder) {
		return true
	}
	for up := folder; up != "."; up = path.Dir(up) {
		if t.has(path.Join(up, "plan.json")) && t.has(path.Join(up, "shards", "0.json")) {
			return true
		}
	}
	return false
}

func (t *Tree) has(name string) bool {
	_, found := slices.BinarySearch(t.files, name)
	return found
}

// hasResults reports whether any direct subfolder of a folder contains results.
func (t *Tree) hasResults(folder string) bool {
	for other := range t.folders {
		if path.Dir(other) == folder && t.has(path.Join(other, record.RunsFile)) {
			return true
		}
	}
	return false
}
