package lab

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/quote"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
)

// committed maps the path of a results folder to its report. It provides the figures that documents
// quote.
type committed map[string]report.Report

func (c committed) Row(p quote.Place, contender string) (compare.Row, bool, bool) {
	for _, k := range c[p.Folder].Rankings {
		for _, row := range k.Rows {
			if row.Contender == contender && row.Depth == p.Depth && row.Workers == p.Workers {
				return row, c[p.Folder].Busy(row), true
			}
		}
	}
	return compare.Row{}, false, false
}

func (c committed) Ratio(p quote.Place, of, over compare.Row, metric string) compare.Ratio {
	return c[p.Folder].Between(of, over, metric)
}

// Claims implements quote.Results. It counts the rows in the tables of published figures.
func (c committed) Claims(p quote.Place, of, outcome string) (n int, ok bool) {
	known := outcome == "" || slices.Contains(report.Outcomes, report.Outcome(outcome))
	for folder, r := range c {
		if p.Folder != quote.AllResults && p.Folder != folder {
			continue
		}
		for _, claim := range r.Claims {
			if of != quote.All && of != claim.WriteUp() {
				continue
			}
			ok = known
			if outcome == "" || outcome == string(claim.Outcome()) {
				n++
			}
		}
	}
	return n, ok
}

// read adds the reports of a place to c, except for those that it already contains.
func (c committed) read(t *testing.T, p quote.Place) {
	t.Helper()
	folders := []string{p.Folder}
	if p.Folder == quote.AllResults {
		all, err := filepath.Glob("../../../../" + quote.AllResults + "/*/runs.jsonl")
		if err != nil || len(all) < 10 {
			t.Fatal(all, err)
		}
		folders = make([]string, 0, len(all))
		for _, runs := range all {
			folders = append(folders, path.Join(quote.AllResults, filepath.Base(filepath.Dir(runs))))
		}
	}
	for _, folder := range folders {
		if _, read := c[folder]; !read {
			c[folder] = committedReports(t, filepath.Join("../../../..", folder))[0]
		}
	}
}

// sourceless lists, for each document, the sections that link to a report without naming the source
// of their figures. Most of them contain no figures. Do not add entries.
var sourceless = map[string][]string{
	"docs/BENCHMARKING.md":              {"The lab: binary-trees", "The lab: gc", "The lab: growth", "The lab: instrument", "The lab: live"},
	"docs/benchmarking/binary-trees.md": {"The whole program: adt", "The whole program: gc", "The whole program: growth"},
	"docs/DETAILS.md": {
		"The details of the write-ups: adt", "The details of the write-ups: binary-trees", "The details of the write-ups: bump", "The details of the write-ups: gc",
		"The details of the write-ups: growth", "The details of the write-ups: live", "The details of the write-ups: short-strings", "The details of the write-ups: strings", "The details of the write-ups: vectors",
	},
	"docs/benchmarking/programs.md": {"Third-party programs: foreign-go1.27"},
	"docs/RELIABILITY.md":           {"How it is tested: torture"},
	"flat/README.md":                {"What is in this module: goast", "What is in this module: jsast", "What is in this module: json"},
}

var reportLink = regexp.MustCompile(`results/((?:xeon/)?[\w.-]+)/report\.md`)

// TestFiguresOfDocuments verifies that the figures in documents equal those in the committed
// results, and that every section with a link to a report names the results that its figures come
// from. With COPPICE_UPDATE=1 it first updates the figures in the documents. Any error that remains
// requires a manual correction.
func TestFiguresOfDocuments(t *testing.T) {
	all := committed{}
	for _, name := range append([]string{"README.md", "flat/README.md"}, documentsBelow(t, "../../../../docs")...) {
		text, err := os.ReadFile(filepath.Join("../../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		sources, err := quote.Parse(string(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, s := range sources {
			for _, p := range s.Places {
				all.read(t, p)
			}
		}
		if os.Getenv("COPPICE_UPDATE") != "" {
			text, sources = updated(t, name, string(text), all)
		}
		for _, s := range sources {
			for _, wrong := range s.Check(all) {
				t.Errorf("%s, %v", name, wrong)
			}
		}
		checkLinks(t, name, string(text), sources)
	}
}

// updated replaces the figures in a document by the current ones, and returns the new text and its
// sources.
func updated(t *testing.T, name, was string, from committed) ([]byte, []quote.Source) {
	t.Helper()
	text, err := quote.Update(was, from)
	if err == nil && text != was {
		err = os.WriteFile(filepath.Join("../../../..", name), []byte(text), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	sources, err := quote.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(text), sources
}

// checkLinks verifies that every section that links to a report has a source for that report,
// unless sourceless lists it.
func checkLinks(t *testing.T, name, text string, sources []quote.Source) {
	var without []string
	for _, section := range strings.Split(text, "\n#") {
		heading, _, _ := strings.Cut(section, "\n")
		heading = strings.TrimLeft(heading, "# ")
		for _, link := range reportLink.FindAllStringSubmatch(section, -1) {
			has := slices.ContainsFunc(sources, func(s quote.Source) bool {
				return s.Section == heading && s.TakesFrom("docs/results/"+link[1])
			})
			if key := heading + ": " + link[1]; !has && !slices.Contains(without, key) {
				without = append(without, key)
			}
		}
	}
	slices.Sort(without)
	if allowed := sourceless[name]; !slices.Equal(without, allowed) {
		t.Errorf("%s: sections with links to reports and without a comment <!-- from docs/results/...:\n\t%s\nallowed are\n\t%s",
			name, strings.Join(without, "\n\t"), strings.Join(allowed, "\n\t"))
	}
}

// documentsBelow returns the paths, relative to the repository root, of the documents that are
// written by hand.
func documentsBelow(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, folder := range []string{"", "benchmarking"} {
		files, err := filepath.Glob(filepath.Join(dir, folder, "*.md"))
		if err != nil || len(files) < 5 {
			t.Fatal(folder, files, err)
		}
		for _, file := range files {
			all = append(all, path.Join("docs", folder, filepath.Base(file)))
		}
	}
	return all
}
