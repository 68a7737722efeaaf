// Command picture draws the bars of docs/benchmarking/binary-trees.md from the runs of the lab that
// are kept in this repository:
//
//	go run ./workshop/picture docs/results/binary-trees/runs.jsonl > docs/picture.svg
//
// Each bar is the median of all runs of one program at the published depth on one thread. The bars
// start at zero, and names end where bars begin. A test fails if docs/picture.svg is not what the
// program draws.
package main

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(stderr, "picture: takes one file of results; try: go run ./workshop/picture docs/results/binary-trees/runs.jsonl")
		return 2
	}
	times, busy, err := read(args[0])
	if err == nil {
		err = draw(stdout, times, busy)
	}
	if err != nil {
		fmt.Fprintln(stderr, "picture:", err)
		return 1
	}
	return 0
}

// These are the programs that the picture shows. All are of class plain, which is textbook
// recursion with each node allocated individually. The slowest is first, and one of them is faster
// than ours.
var shown = []struct{ contender, name string }{
	{"go naive", "Go, &Node{}"},
	{"go naive GOGC=425", "Go, &Node{}, GOGC=425"},
	{"c mimalloc", "C, mimalloc"},
	{"go slab plain", "Go, slab.Slab"},
	{"go indexed plain", "Go, store.Store"},
	{"c arena", "C, an arena by hand"},
}

// depth is the published depth.
const depth = 21

// A line is one line of the results file. It describes a session, with the values of its machine,
// or a run in a session.
type line struct {
	Session   string             `json:"session"`
	Values    map[string]string  `json:"values"`
	Contender string             `json:"contender"`
	Depth     int                `json:"depth"`
	Workers   int                `json:"workers"`
	Round     int                `json:"round"` // below 1 for warm-up runs
	Status    string             `json:"status"`
	Figures   map[string]float64 `json:"figures"`
}

// read returns the CPU times of all programs at the published depth on one thread, in seconds, and
// the share of the displayed runs that were made on a busy machine.
func read(file string) (times map[string][]float64, busy share, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, busy, err
	}
	defer f.Close()
	times = map[string][]float64{}
	machines := map[string]map[string]string{}
	lines := json.NewDecoder(f)
	for {
		var l line
		if err := lines.Decode(&l); err == io.EOF {
			return times, busy, nil
		} else if err != nil {
			return nil, busy, fmt.Errorf("%s: %w", file, err)
		}
		if l.Contender == "" {
			machines[l.Session] = l.Values
			continue
		}
		if l.Depth != depth || l.Workers != 1 || l.Round < 1 || l.Status != "ok" {
			continue
		}
		times[l.Contender] = append(times[l.Contender], l.Figures["cpu"])
		busy.add(l.Contender, machines[l.Session])
	}
}

// A share states how many of the displayed runs were made on a busy machine.
type share struct{ of, all int }

func (s *share) add(contender string, machine map[string]string) {
	for _, program := range shown {
		if program.contender != contender {
			continue
		}
		s.all++
		for _, key := range []string{"load", "load-now"} { // the lab calls a machine busy if more than half of its processors have work
			load, _, _ := strings.Cut(machine[key], " ")
			work, err := strconv.ParseFloat(load, 64)
			cores, errCores := strconv.ParseFloat(machine["cores"], 64)
			if err == nil && errCores == nil && work > cores/2 {
				s.of++
				break
			}
		}
	}
}

// String returns the sentence in which the picture states the share.
func (s share) String() string {
	switch s.of {
	case 0:
		return ""
	case s.all:
		return "measured on a busy machine"
	default:
		return "partly measured on a busy machine"
	}
}

// These constants are lengths in the picture, in the units of its view box.
const (
	width   = 720
	top     = 44  // space above the first bar
	row     = 30  // distance from one bar to the next
	thick   = 18  // thickness of a bar
	left    = 215 // x coordinate at which bars begin
	longest = 425 // length of the longest bar
)

// A bar is one bar of the picture. Y is its upper edge, and Base is the baseline of its labels.
type bar struct {
	Name, Value   string
	Y, Base       int
	Length, After float64
	Ours          bool
}

// draw writes the picture.
func draw(w io.Writer, times map[string][]float64, busy share) error {
	medians := make([]float64, len(shown))
	for i, s := range shown {
		all := times[s.contender]
		if len(all) == 0 {
			return fmt.Errorf("there is no run of %s; run coppice lab run binary-trees -depth %d -workers 1 again", s.contender, depth)
		}
		medians[i] = median(all)
	}
	greatest := slices.Max(medians)
	bars := make([]bar, len(shown))
	for i, s := range shown {
		y := top + i*row
		length := longest * medians[i] / greatest
		bars[i] = bar{
			Name: s.name, Value: fmt.Sprintf("%.3g s", medians[i]), Y: y, Base: y + thick - 5,
			Length: length, After: left + length + 8, Ours: s.contender == "go slab plain" || s.contender == "go indexed plain",
		}
	}
	return page.Execute(w, map[string]any{"Busy": busy.String(), "Width": width, "Height": top + len(bars)*row, "Left": left, "Names": left - 10, "Thick": thick, "Bars": bars})
}

// median returns the median. If the number of values is even, this is the mean of the two middle
// values, as in benchstat.
func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// page is the template of the picture. Its colors are in a style element, so that they follow the
// reader's dark or light color scheme. The names of Coppice's own bars are bold.
var page = template.Must(template.New("picture").Parse(`<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {{.Width}} {{.Height}}" font-family="sans-serif" font-size="14">
<title>Seconds of CPU for binary-trees at depth 21 on one thread</title>
<style>
text { fill: #1b1f1d } .paper { fill: #fff } .bar { fill: #9aa5a0 } .ours { fill: #2f7d5b }
@media screen and (prefers-color-scheme: dark) { text { fill: #e6ebe8 } .paper { fill: #121614 } .bar { fill: #6f7a75 } .ours { fill: #4fb88a } }
</style>
<rect class="paper" width="{{.Width}}" height="{{.Height}}"/>
<text x="10" y="{{if .Busy}}18{{else}}24{{end}}" font-weight="bold">binary-trees, depth 21, one thread, plain recursion: seconds of CPU, shorter is better</text>
{{with .Busy}}<text x="10" y="36" font-size="12">{{.}}</text>
{{end}}{{range .Bars}}<text x="{{$.Names}}" y="{{.Base}}" text-anchor="end"{{if .Ours}} font-weight="bold"{{end}}>{{.Name}}</text>
<rect class="bar{{if .Ours}} ours{{end}}" x="{{$.Left}}" y="{{.Y}}" width="{{printf "%.1f" .Length}}" height="{{$.Thick}}"/>
<text x="{{printf "%.1f" .After}}" y="{{.Base}}">{{.Value}}</text>
{{end}}</svg>
`))
