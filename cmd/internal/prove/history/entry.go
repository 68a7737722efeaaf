// Package history stores the results of proofs in a file, one line of JSON for each benchmark and
// metric, and finds the commits at which the level of a benchmark changed. docs/decisions/0059
// describes the method and its error rates.
//
// Files, from top to bottom: analyze.go finds steps in entries, file.go reads and appends them,
// entry.go defines the format of a line.
package history

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// Schema is the version of the line format. Fields may be added without a new version; readers skip
// unknown fields.
const Schema = 1

// An Entry is a line of a history file: the result of one proof for one metric of one benchmark.
type Entry struct {
	Schema     int              `json:"schema"`
	Time       time.Time        `json:"time"`                  // when the proof began
	Commit     string           `json:"commit,omitempty"`      // head's commit; empty for commands
	Dirty      bool             `json:"dirty,omitempty"`       // the head has uncommitted changes
	Head       string           `json:"head"`                  // head's name as the proof prints it
	BaseCommit string           `json:"base_commit,omitempty"` // commit of the base
	Base       string           `json:"base"`
	Machine    string           `json:"machine"` // type of processor and number of cores
	Host       string           `json:"host,omitempty"`
	System     string           `json:"system"` // such as linux/amd64
	Go         string           `json:"go"`
	Tool       string           `json:"tool"`
	Package    string           `json:"package,omitempty"`
	Benchmark  string           `json:"benchmark"`
	Metric     string           `json:"metric"`           // cpu, wall, rss, gc, allocs, bytes, or "unit:" followed by a unit
	Better     metric.Direction `json:"better,omitempty"` // lower or higher; empty if unknown
	N          int              `json:"n"`                // number of pairs
	BaseMedian float64          `json:"base_median"`
	HeadMedian float64          `json:"head_median"`
	Ratio      float64          `json:"ratio"` // head/base; 0 if there is none
	Lo         float64          `json:"lo"`    // lower end of the interval of Ratio
	Hi         float64          `json:"hi"`    // upper end; 0 if the interval is unbounded
	Exact      bool             `json:"exact,omitempty"`
	Tolerance  float64          `json:"tolerance,omitempty"` // largest difference between equal exact values
	P          float64          `json:"p,omitempty"`         // signed-rank p value of all pairs, not adjusted
	Looks      int              `json:"looks,omitempty"`     // maximum number of looks before the proof ended
	AgainN     int              `json:"again_n,omitempty"`   // number of pairs to confirm a loss
	AgainP     float64          `json:"again_p,omitempty"`   // one-sided p value of those pairs
	Outcome    measure.Outcome  `json:"outcome"`             // outcome of the metric in this proof
	Verdict    prove.Verdict    `json:"verdict"`             // verdict on the benchmark
}

// Entries returns the history entries for the result of a proof. looks is the maximum number of
// times that the proof looked at its pairs, which is 1 if the number of rounds was given. A proof
// of equal sources measured nothing, so it has no entries.
func Entries(r *prove.Result, looks int) (all []Entry) {
	env := r.Environment
	for _, c := range r.Comparisons {
		for _, s := range c.Subjects {
			for _, m := range s.Metrics {
				e := Entry{
					Schema: Schema, Time: r.Started, Tool: r.Tool, Commit: c.Head.Revision, Dirty: c.Head.Dirty, Head: c.Head.Name,
					BaseCommit: r.Base.Revision, Base: r.Base.Name, Machine: across.KindOf(env), Host: env["host"],
					System: env["goos"] + "/" + env["goarch"], Go: env["go"], Package: s.Package, Benchmark: s.Name, Metric: m.Name,
					Better: m.Better, N: min(len(m.Base), len(m.Head)), BaseMedian: m.Before, HeadMedian: m.After,
					Ratio: m.Ratio, Lo: m.Lo, Hi: m.Hi, Exact: m.Exact, P: m.P, Outcome: m.Outcome, Verdict: s.Verdict,
				}
				if !measure.Reported(m.Name) {
					e.Better = metric.Lower
				}
				if m.Exact {
					e.Tolerance = m.Tolerance(float64(s.Operations))
				}
				if m.P > 0 {
					e.Looks = looks
				}
				if m.Again != nil && len(m.Again.Base) > 0 {
					e.AgainN, e.AgainP = len(m.Again.Base), m.Again.P
				}
				all = append(all, e)
			}
		}
	}
	return all
}

// check returns an error if an entry contains values that no proof can have written.
func (e *Entry) check() error {
	for _, v := range []float64{e.BaseMedian, e.HeadMedian, e.Ratio, e.Lo, e.Hi, e.Tolerance} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%v is not a finite number", v)
		}
	}
	switch {
	case e.Benchmark == "" || e.Metric == "":
		return errors.New("it lacks a benchmark or a metric")
	case e.Ratio < 0 || e.Tolerance < 0:
		return fmt.Errorf("ratio %v and tolerance %v must not be negative", e.Ratio, e.Tolerance)
	case e.P < 0 || e.P > 1 || e.AgainP < 0 || e.AgainP > 1:
		return fmt.Errorf("p %v and again_p %v must be between 0 and 1", e.P, e.AgainP)
	case e.N < 0 || e.AgainN < 0 || e.Looks < 0:
		return fmt.Errorf("n %d, again_n %d and looks %d must not be negative", e.N, e.AgainN, e.Looks)
	}
	return nil
}

// Label returns a name for the head: its commit, with a plus sign if there are uncommitted changes.
// If the head has no commit of its own, Label returns the head's name in the proof.
func (e *Entry) Label() string {
	if e.Commit == "" || e.Commit == e.BaseCommit && !e.Dirty {
		return e.Head
	}
	if e.Dirty {
		return short(e.Commit) + "+"
	}
	return short(e.Commit)
}

// against returns an identifier of the base.
func (e *Entry) against() string {
	if e.BaseCommit == e.Commit {
		return e.Base // the proof compared benchmarks of one tree, or a tree with a patch
	}
	return cmp.Or(e.BaseCommit, e.Base)
}

// BaseLabel returns a name for the base.
func (e *Entry) BaseLabel() string { return short(e.against()) }

// digits is the length to which the function short truncates a commit hash.
const digits = 10

func short(commit string) string {
	if len(commit) > digits {
		for _, c := range commit {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f') {
				return commit
			}
		}
		return commit[:digits]
	}
	return commit
}
