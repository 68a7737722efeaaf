package merge

import (
	"encoding/json"
	"io"
	"math"

	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// Schema is the version of the JSON output.
const Schema = 1

// An interval is a confidence interval in the JSON output. It is null if there is none.
type interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

func intervalOf(lo, hi float64) *interval {
	if lo <= 0 || math.IsInf(hi, 0) || hi == 0 {
		return nil
	}
	return &interval{lo, hi}
}

// A part is the result for one machine or one kind of machine in the JSON output.
type part struct {
	Name     string    `json:"name"`
	Kind     string    `json:"kind,omitempty"`
	Machines int       `json:"machines,omitempty"`
	Rounds   int       `json:"rounds,omitempty"`
	Ratio    float64   `json:"ratio"`
	Interval *interval `json:"interval"`
	P        float64   `json:"p"`
}

type jsonRow struct {
	Contender string       `json:"contender"`
	Baseline  string       `json:"baseline"`
	Ratio     float64      `json:"ratio"`
	Interval  *interval    `json:"interval"`
	P         float64      `json:"p"`
	About     across.Scope `json:"about,omitempty"` // machines for which the ratio holds
	New       *interval    `json:"new_machine"`
	Within    float64      `json:"deviation_within_kinds"` // standard deviation of the log ratio
	Between   float64      `json:"deviation_between_kinds"`
	PUnlike   float64      `json:"p_machines_differ"` // p-value, Holm-adjusted over the rows
	Kinds     []part       `json:"kinds"`
	Machines  []part       `json:"machines"`
}

type jsonOrder struct {
	First      string   `json:"first"`
	Second     string   `json:"second"`
	Swaps      bool     `json:"swaps"`
	Everywhere bool     `json:"everywhere"`
	FirstOn    []string `json:"first_on"`
	SecondOn   []string `json:"second_on"`
	Open       int      `json:"open"`
}

type jsonRanking struct {
	Heading string      `json:"heading"`
	Group   string      `json:"group,omitempty"`
	Class   string      `json:"class"`
	Depth   int         `json:"depth,omitempty"`
	Workers int         `json:"workers,omitempty"`
	Rows    []jsonRow   `json:"rows"`
	Answer  string      `json:"answer"`
	Orders  []jsonOrder `json:"orders"`
}

// JSON returns the report as a value for encoding/json.
func (r Report) JSON() any {
	rankings := make([]jsonRanking, 0, len(r.Rankings))
	for _, k := range r.Rankings {
		answer, _ := k.answer()
		one := jsonRanking{Heading: k.Heading(), Group: k.Group, Class: k.Class, Depth: k.Depth, Workers: k.Workers, Answer: answer, Rows: []jsonRow{}, Orders: []jsonOrder{}}
		for _, row := range k.Rows {
			one.Rows = append(one.Rows, row.json())
		}
		for _, o := range k.Orders {
			one.Orders = append(one.Orders, jsonOrder{o.First, o.Second, o.Swaps(), o.Everywhere != 0, list(o.FirstOn), list(o.SecondOn), o.Open})
		}
		rankings = append(rankings, one)
	}
	return struct {
		Schema     int           `json:"schema"`
		Experiment string        `json:"experiment"`
		Metric     string        `json:"metric"`
		Sessions   int           `json:"sessions"`
		Machines   []Machine     `json:"machines"`
		Rankings   []jsonRanking `json:"rankings"`
		Notes      []string      `json:"notes"`
	}{Schema, r.Experiment.Name, r.Experiment.Metric, r.Sessions, r.Machines, rankings, list(r.Notes)}
}

func (r Row) json() jsonRow {
	j := jsonRow{
		Contender: r.Contender, Baseline: r.Baseline, Ratio: r.Ratio, Interval: intervalOf(r.Lo, r.Hi), P: r.P, About: r.Scope,
		New: intervalOf(r.PredictLo, r.PredictHi), Within: r.Within, Between: r.Between, PUnlike: r.PUnlike, Kinds: []part{}, Machines: []part{},
	}
	for _, k := range r.Result.Kinds {
		j.Kinds = append(j.Kinds, part{Name: k.Name, Machines: k.Machines, Ratio: k.Ratio, Interval: intervalOf(k.Lo, k.Hi), P: k.P})
	}
	for _, b := range r.Blocks {
		j.Machines = append(j.Machines, part{Name: b.Machine, Kind: b.Kind, Rounds: b.Own.N, Ratio: b.Own.Ratio, Interval: intervalOf(b.Own.Lo, b.Own.Hi), P: b.Own.P})
	}
	return j
}

// list returns a copy of a list. The copy is never nil, so it is not encoded as null.
func list(all []string) []string { return append([]string{}, all...) }

// WriteJSON writes one report as an object, and several as an array.
func WriteJSON(w io.Writer, all []Report) error {
	values := make([]any, 0, len(all))
	for _, r := range all {
		values = append(values, r.JSON())
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "\t")
	if len(values) == 1 {
		return encoder.Encode(values[0])
	}
	return encoder.Encode(values)
}
