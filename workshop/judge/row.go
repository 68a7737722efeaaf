package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A report holds the JSON output of coppice fix, with only the fields that the table shows.
type report struct {
	Answer, Reason string
	Steps          []step
	Total          *proof
}

// A step is a change that coppice fix tried or skipped.
type step struct {
	Number            int
	Title, State, Why string
	Done              []string
	Proof, Heap       *proof
}

// A proof contains the metrics that were measured for a change.
type proof struct {
	Comparisons []struct{ Subjects []struct{ Metrics []metric } }
}

// A metric is the ratio of a figure after a change to the figure before it, and the interval of the
// ratio.
type metric struct {
	Name          string
	Exact         bool
	Ratio, Lo, Hi float64
}

const head = "| module | what was changed | CPU/op | peak RSS | allocs/op | B/op | verdict | took |\n| --- | --- | ---: | ---: | ---: | ---: | --- | ---: |\n"

// row returns the row of the table for a module. It lists the changes that were kept, or else the
// changes that were tried, or else the reason that none was tried. text is the JSON output of
// coppice fix.
func row(m module, text []byte, took time.Duration) (string, error) {
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return "", err
	}
	line := func(what string, p *proof, verdict string) string {
		return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %.0f s |", m.title(), what, p.change("cpu"), p.change("rss"), p.change("allocs"), p.change("bytes"), verdict, took.Seconds())
	}
	var kept, tried []string
	var last *proof
	for _, s := range r.Steps {
		what := fmt.Sprintf("%d places: %s", len(s.Done), s.Title)
		if s.Heap != nil {
			what += fmt.Sprintf("; without an arena %s of CPU/op", s.Heap.change("cpu"))
		}
		switch {
		case s.State == "kept":
			kept = append(kept, what)
		case s.Number > 0:
			tried, last = append(tried, what+": "+s.Why), s.Proof
		}
	}
	switch {
	case len(kept) > 0:
		return line(strings.Join(kept, "; "), r.Total, "keep"), nil
	case len(tried) > 0:
		return line(strings.Join(tried, "; "), last, "not kept"), nil
	}
	why := r.Reason
	for _, s := range r.Steps {
		why += "; " + s.Title + ": " + s.Why
	}
	return line("nothing: "+why, nil, ""), nil
}

// change formats the change of the named metric in percent, with its interval unless the change is
// exact. It returns "" if the metric was not measured.
func (p *proof) change(name string) string {
	if p == nil {
		return ""
	}
	for _, c := range p.Comparisons {
		for _, s := range c.Subjects {
			for _, m := range s.Metrics {
				switch {
				case m.Name != name || m.Ratio == 0:
				case m.Exact:
					return percent(m.Ratio)
				default:
					return fmt.Sprintf("%s [%s, %s]", percent(m.Ratio), percent(m.Lo), percent(m.Hi))
				}
			}
		}
	}
	return ""
}

// percent formats a ratio as a change in percent, with a sign.
func percent(ratio float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f", 100*(ratio-1)), "-", "−", 1)
}
