// Package prove decides whether one program is better than another. It checks equality first, then
// compares exact counts, then times in interleaved pairs of runs: the most certain evidence comes
// first. A faster program with different results is not an improvement, and a count that repeats
// needs no statistics.
//
// The stages are trees (what is compared), build and equality (this package, with keep and meter),
// measure (the rounds), and the verdict; package show prints it. docs/decisions/0020 explains why a
// proof works in its own copies of the trees, and how benchmarks pass on their results.
package prove

import (
	"cmp"
	"reflect"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// Schema is the version of the JSON format in which a Result is encoded.
const Schema = 1

// A Verdict states whether a change should be kept.
type Verdict string

// These are the values of Verdict. A Result has the gravest verdict of its comparisons.
const (
	Keep      Verdict = "keep"      // a proven gain, and no loss
	Same      Verdict = "same"      // no relevant difference
	Undecided Verdict = "undecided" // neither a difference nor its absence is proven
	Revert    Verdict = "revert"    // a proven loss, or unequal results
	Identical Verdict = "identical" // the same program twice; nothing was measured
)

// A Side is one of the programs that are compared: the base, or a head.
type Side struct {
	Name     string             `json:"name"`
	Revision string             `json:"revision,omitempty"`
	Dirty    bool               `json:"dirty,omitempty"`
	Programs map[string]Program `json:"programs"` // programs by package or command
}

// A Program contains SHA-256 checksums, which identify a program.
type Program struct {
	Sources string `json:"sources,omitempty"` // checksum of everything from which it is built
	Binary  string `json:"binary"`
}

// equal reports whether two sides have the same programs.
func (s Side) equal(other Side) bool { return reflect.DeepEqual(s.ids(), other.ids()) }

// ids returns the checksum of each program. If possible, it is the checksum of the sources, which
// does not depend on the location of the tree.
func (s Side) ids() map[string]string {
	ids := map[string]string{}
	for name, p := range s.Programs {
		ids[name] = cmp.Or(p.Sources, p.Binary)
	}
	return ids
}

// programs returns the programs of all sides, the base first.
func (r *Result) programs() []map[string]string {
	all := []map[string]string{r.Base.ids()}
	for _, c := range r.Comparisons {
		all = append(all, c.Head.ids())
	}
	return all
}

// A Result contains all findings of a proof.
type Result struct {
	Schema      int               `json:"schema"`
	Tool        string            `json:"tool"`
	Started     time.Time         `json:"started"`
	Environment map[string]string `json:"environment"`
	Others      float64           `json:"others,omitempty"` // processors kept busy by other programs, if this disturbed the rounds
	Base        Side              `json:"base"`
	Comparisons []Comparison      `json:"comparisons"`
	Verdict     Verdict           `json:"verdict"`
	Warnings    []string          `json:"warnings"`
}

// identical sets the verdict for the case that all programs are the same, and records that nothing
// was measured.
func (r *Result) identical() {
	r.Verdict = Identical
	for i := range r.Comparisons {
		r.Comparisons[i].Verdict = Identical
		r.Comparisons[i].Reasons = []string{"both have the same sources"}
	}
	r.complete()
}

// complete replaces nil lists with empty ones, so that the JSON output contains [] instead of null.
func (r *Result) complete() {
	lists := []*[]string{&r.Warnings}
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		lists = append(lists, &c.Reasons, &c.Equality.Done, &c.Equality.Unequal, &c.Equality.Left)
		if c.Subjects == nil {
			c.Subjects = []Subject{}
		}
		for j := range c.Subjects {
			lists = append(lists, &c.Subjects[j].Reasons, &c.Subjects[j].Warnings)
		}
	}
	for _, l := range lists {
		if *l == nil {
			*l = []string{}
		}
	}
}

// A Comparison compares one head with the base.
type Comparison struct {
	Head     Side      `json:"head"`
	Equality Equality  `json:"equality"`
	Subjects []Subject `json:"subjects"`
	Verdict  Verdict   `json:"verdict"`
	Reasons  []string  `json:"reasons"`
}

// A Subject is the result of a comparison for one benchmark, or for the command.
type Subject struct {
	Name       string           `json:"name"`
	Package    string           `json:"package,omitempty"`
	File       string           `json:"file,omitempty"` // file of the benchmark, relative to the tree
	Line       int              `json:"line,omitempty"`
	Operations int              `json:"operations,omitempty"` // number of operations per run
	Rounds     int              `json:"rounds"`
	Metrics    []measure.Metric `json:"metrics"`
	Verdict    Verdict          `json:"verdict"`
	Reasons    []string         `json:"reasons"`
	Warnings   []string         `json:"warnings"`
}

// A Level is the strength of the evidence that two programs behave in the same way.
type Level string

// These are the levels, from the weakest to the strongest.
const (
	Unproven Level = "none"
	Output   Level = "output"  // commands printed the same output and ended in the same way
	Tests    Level = "tests"   // the same tests pass, fail and skip
	Results  Level = "results" // the deep hashes of benchmark results are equal
)

// An Equality records the checks that looked for a difference between the programs.
type Equality struct {
	Level   Level    `json:"level"`
	Done    []string `json:"done"`    // descriptions of the checks and their extent
	Unequal []string `json:"unequal"` // differences; any entry makes the verdict revert
	Left    []string `json:"left"`    // comparisons that were not possible, and why

	differ int // number of entries in Unequal that concern benchmark results
}

// byResultsOnly reports whether the tests pass in both trees and only results of benchmarks differ.
// The change may then be correct nevertheless, because the hash of a result includes the types of
// its fields.
func (e *Equality) byResultsOnly() bool { return e.differ == len(e.Unequal) && e.Level == Tests }

// raise records a check that found no difference, and raises the level if the check is stronger
// evidence.
func (e *Equality) raise(level Level, done string) {
	e.Done = append(e.Done, done)
	if order[level] > order[e.Level] {
		e.Level = level
	}
}

var order = map[Level]int{Unproven: 0, Output: 1, Tests: 2, Results: 3}
