package show

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/history"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/render/chart"
	"github.com/coppice-go/coppice/cmd/internal/render/markdown"
	"github.com/coppice-go/coppice/cmd/internal/render/page"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
)

//go:embed history.html
var historyText string

var historyTemplate = template.Must(page.Parts("history", nil).Parse(historyText))

// History prints the steps of a history. The output is wrapped to the given number of columns of a
// terminal. If columns is 0, the output is for a file and is not wrapped.
func History(w io.Writer, h *history.History, columns int) error {
	out := &termtext.Screen{Columns: columns}
	out.Say("", extent(h))
	name := ""
	for i := range h.Tracks {
		t := &h.Tracks[i]
		if !t.Judged {
			continue
		}
		if n := t.Package + " " + t.Benchmark; n != name {
			name = n
			out.WriteString("\n")
			out.Say("", titleOf(t))
		}
		out.Say("  "+termtext.Right(metric.Named(t.Metric).Op, 15)+" ", standing(t))
		for _, s := range t.Steps {
			out.Say("  "+termtext.Right("", 15)+" ", strings.ToUpper(string(s.Outcome))+": "+stepOf(s))
		}
	}
	out.WriteString("\n")
	out.Say("", conclusion(h))
	for _, text := range h.Warnings {
		out.Say("warning: ", text)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// HistoryMarkdown prints the steps of a history as a Markdown table, for the summary of a CI job.
func HistoryMarkdown(w io.Writer, h *history.History) error {
	out := &strings.Builder{}
	fmt.Fprintf(out, "**%s**\n\n%s\n", conclusion(h), extent(h))
	if h.Worse+h.Better > 0 {
		out.WriteString("\n| benchmark | metric | step |\n| --- | --- | --- |\n")
	}
	for i := range h.Tracks {
		t := &h.Tracks[i]
		for _, s := range t.Steps {
			fmt.Fprintf(out, "| %s | %s | %s: %s |\n", markdown.CodeCell(t.Benchmark), markdown.Text(metric.Named(t.Metric).Op), s.Outcome, markdown.Text(stepOf(s)))
		}
	}
	for _, text := range h.Warnings {
		fmt.Fprintf(out, "\nWarning: %s\n", markdown.Text(text))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// HistoryHTML writes a history as one self-contained page.
func HistoryHTML(w io.Writer, h *history.History) error {
	var v struct {
		Title, Extent, Conclusion string
		Steps                     *page.Sheet
		Moved, Level              []page.Plot
		Warnings                  []string
	}
	v.Title, v.Extent, v.Conclusion, v.Warnings = "Over commits", extent(h), conclusion(h), h.Warnings
	sheet := page.Sheet{Caption: "Proven steps", Columns: []page.Head{{Name: "benchmark"}, {Name: "metric"}, {Name: "step", Long: true}, {Name: "change", Figure: true}}}
	for i := range h.Tracks {
		t := &h.Tracks[i]
		for _, s := range t.Steps {
			sheet.Rows = append(sheet.Rows, page.Line{Cells: []page.Cell{
				{Text: t.Benchmark}, {Text: metric.Named(t.Metric).Op}, {Text: string(s.Outcome) + ": " + stepOf(s)},
				{Text: moved(s), Sort: strconv.FormatFloat(s.Ratio, 'g', 8, 64)},
			}})
		}
		switch plot, ok := trackPlot(t); {
		case !ok:
		case len(t.Steps) > 0:
			v.Moved = append(v.Moved, plot)
		default:
			v.Level = append(v.Level, plot)
		}
	}
	if len(sheet.Rows) > 0 {
		v.Steps = &sheet
	}
	return historyTemplate.Execute(w, v)
}

// extent describes how many commits and benchmarks a history has, and how probable a false step is.
func extent(h *history.History) string {
	return fmt.Sprintf("%s of %s; the probability of any false step is at most %s per analysis, over %s",
		counted(h.Commits, "commit"), counted(benchmarksOf(h), "benchmark"), percentOf(h.Level), counted(h.Tests, "test"))
}

func benchmarksOf(h *history.History) (n int) {
	seen := map[string]bool{}
	for i := range h.Tracks {
		seen[h.Tracks[i].Package+" "+h.Tracks[i].Benchmark] = true
	}
	return len(seen)
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func percentOf(part float64) string {
	return strconv.FormatFloat(math.Round(1e4*part)/100, 'g', -1, 64) + " %"
}

// conclusion returns a summary of a history in one line.
func conclusion(h *history.History) string {
	if h.Worse+h.Better == 0 {
		return "NO STEP is proven"
	}
	return fmt.Sprintf("STEPS: %d worse, %d better", h.Worse, h.Better)
}

func titleOf(t *history.Track) string {
	if t.Package == "" {
		return t.Benchmark
	}
	return t.Benchmark + " in " + t.Package
}

// standing describes the current level of a track.
func standing(t *history.Track) string {
	last := &t.Points[len(t.Points)-1]
	text := fmt.Sprintf("%s; last %s %s", counted(len(t.Points), "proof"), last.Label(), amount(measure.Metric{Name: t.Metric}, last.HeadMedian))
	if last.Ratio > 0 {
		text += fmt.Sprintf(", %+.1f %% against %s", 100*(last.Ratio-1), last.BaseLabel())
	}
	return text
}

// moved formats the level change of a step.
func moved(s history.Step) string {
	if s.Ratio == 0 {
		return "from or to 0"
	}
	return fmt.Sprintf("%+.1f %%", 100*(s.Ratio-1))
}

// stepOf describes a step.
func stepOf(s history.Step) string {
	text := moved(s) + " at " + s.At
	if s.From != s.To {
		text += fmt.Sprintf(" (95 %%: %s to %s)", s.From, s.To)
	}
	if !s.Time.IsZero() {
		text += ", " + s.Time.UTC().Format("2006-01-02")
	}
	switch s.Way {
	case history.Ranks:
		return text + fmt.Sprintf(", p %.2g, %d proofs before and %d after", s.P, s.Before, s.After)
	case history.Pairs:
		return text + fmt.Sprintf(", p %.2g, %d pairs of one proof", s.P, s.Before)
	}
	return text + ", exact"
}

// mostMarks is the maximum number of proofs in a plot. Earlier proofs are left out.
const mostMarks = 60

// trackPlot returns a plot of a track's ratios, with the first commit at the top.
func trackPlot(t *history.Track) (page.Plot, bool) {
	if !t.Judged {
		return page.Plot{}, false
	}
	op := metric.Named(t.Metric).Op
	p := chart.Rows{
		Name: titleOf(t) + ", " + op + ": each commit against its base", Axis: op + ", against the base", Unit: chart.Ratio, Log: true, Reference: 1,
		Star: "a step begins here",
	}
	panel := chart.Panel{Heading: t.Benchmark + ", " + op}
	for i := max(0, len(t.Points)-mostMarks); i < len(t.Points); i++ {
		e := &t.Points[i]
		if !(e.Ratio > 0) {
			continue
		}
		mark := chart.Mark{
			Name: e.Label(), Value: e.Ratio, Text: fmt.Sprintf("%+.1f %%", 100*(e.Ratio-1)),
			Tip: fmt.Sprintf("%s, %s, %s against %s, %s, %s", e.Label(), e.Time.UTC().Format("2006-01-02 15:04"), amount(measure.Metric{Name: t.Metric}, e.HeadMedian), e.BaseLabel(), e.Machine, e.Go),
		}
		if e.Lo > 0 && e.Hi >= e.Lo {
			mark.Lo, mark.Hi = e.Lo, e.Hi
		}
		if slices.ContainsFunc(t.Steps, func(s history.Step) bool { return s.Index() == i }) {
			mark.Kind = chart.Ours
		}
		panel.Marks = append(panel.Marks, mark)
	}
	if len(panel.Marks) == 0 {
		return page.Plot{}, false
	}
	p.Panels = []chart.Panel{panel}
	return page.Drawn(titleOf(t)+", "+op, "The first commit is at the top; each has its 95 % interval, and the dashed line is its base.", p), true
}
