package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strconv"

	"github.com/coppice-go/coppice/cmd/internal/render/page"
)

//go:embed page.html
var pageText string

var functions = template.FuncMap{"name": Name, "machine": machineOf, "measuredOn": measuredOn, "unfair": unfair}

var pageTemplate = template.Must(page.Parts("page", functions).Parse(pageText))

// A section is the part of the page for one ranking.
type section struct {
	Heading, Baselines, Ties string
	Table, Spread            Sheet
	Plots                    []Plot
}

// view contains the data for the template of the page.
type view struct {
	Report
	Lead         *Plot
	Main, Others []section
	Filters      []filter
	ClaimsTable  Sheet
	ClaimsNote   string
	SummaryTable Sheet
}

// A filter is a control on the page with which readers hide some of the rows.
type filter struct {
	Name, Label string
	Values      []choice
}

type choice struct{ Value, Text string }

// HTML writes the report as a single self-contained file.
func HTML(w io.Writer, r Report) error {
	v := view{Report: r, ClaimsTable: r.claimsTable(), ClaimsNote: r.claimsNote(), Filters: r.filters()}
	if r.Summary != nil {
		v.SummaryTable = r.summaryTable()
	}
	if p, caption, ok := r.lead(); ok {
		d := page.Drawn("", caption, p)
		v.Lead = &d
	}
	main := r.Main()
	for i, k := range r.Rankings {
		first := slices.Contains(main, i)
		s := section{k.Heading(), r.BaselinesOf(k), k.Ties(), r.table(k), r.spreadTable(k), r.plots(k, first && len(main) == 1)}
		if first {
			v.Main = append(v.Main, s)
		} else {
			v.Others = append(v.Others, s)
		}
	}
	return pageTemplate.Execute(w, v)
}

// filters returns the filters of the page.
func (r Report) filters() (all []filter) {
	add := func(name, label string, values []choice) {
		if len(values) > 1 {
			all = append(all, filter{name, label, values})
		}
	}
	var languages, classes, workers []choice
	ours := false
	put := func(to *[]choice, value, text string) {
		if !slices.ContainsFunc(*to, func(c choice) bool { return c.Value == value }) && value != "" {
			*to = append(*to, choice{value, text})
		}
	}
	for _, k := range r.Rankings {
		put(&classes, k.Class, k.Class)
		put(&workers, strconv.Itoa(k.Workers), threads(k.Workers))
		for _, row := range k.Rows {
			put(&languages, row.Language, row.Language)
			ours = ours || r.isOurs(row.Contender)
		}
	}
	add("language", "language", languages)
	add("class", "class", classes)
	add("workers", "threads", workers)
	if ours {
		add("ours", "rows", []choice{{"yes", "ours only"}, {"no", "others only"}})
	}
	return all
}
