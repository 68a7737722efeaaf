package prove

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/metric"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// ResultFile is the name of the result file in the folder in which a proof is kept.
const ResultFile = "result.json"

// A Merged is the combined result of several proofs of the same programs. In the statistics, each
// machine is a block: see docs/decisions/0029.
type Merged struct {
	Schema   int      `json:"schema"`
	Base     string   `json:"base"`
	Heads    []string `json:"heads"`
	Go       string   `json:"go,omitempty"`
	Machines int      `json:"machines"`
	All      Part     `json:"all"`
	Kinds    []Part   `json:"kinds"` // one for each kind of processor
	Verdict  Verdict  `json:"verdict"`
	Reasons  []string `json:"reasons"`
	Notes    []string `json:"notes"`
}

// A Part is the combined result of all machines, or of all machines with the same kind of
// processor.
type Part struct {
	Name     string         `json:"name"`
	Machines int            `json:"machines"`
	Subjects []MergedRatios `json:"subjects"`
	Verdict  Verdict        `json:"verdict"`
	Reasons  []string       `json:"reasons"`
}

// MergedRatios contains the merged metrics of a subject in one comparison. Tested metrics have no
// values before and after, because a mean over several machines has no meaning.
type MergedRatios struct {
	Head    string           `json:"head"`
	Name    string           `json:"name"`
	Metrics []measure.Metric `json:"metrics"`
	New     map[string]Range `json:"new_machine"` // 95 % prediction interval, by metric, for the ratio on another machine
	Verdict Verdict          `json:"verdict"`
	Reasons []string         `json:"reasons"`
}

// A Range is an interval of ratios.
type Range struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// ReadKept reads the proofs that are kept in the given folders. A folder may contain proofs with
// several toolchains.
func ReadKept(folders []string) (all []*Result, err error) {
	for _, folder := range folders {
		names := []string{filepath.Join(folder, ResultFile)}
		if _, err := os.Stat(names[0]); errors.Is(err, fs.ErrNotExist) {
			if below, _ := filepath.Glob(filepath.Join(folder, "go*", ResultFile)); len(below) > 0 {
				names = below
			}
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("%s: not a proof; coppice prove -out DIR writes one, and coppice lab merge merges results from coppice lab run", folder)
			} else if err != nil {
				return nil, err
			}
			r := new(Result)
			if err := json.Unmarshal(text, r); err != nil {
				return nil, fmt.Errorf("%s is not a result of coppice prove: %w", name, err)
			}
			if r.Schema != Schema {
				return nil, fmt.Errorf("%s has schema %d; this program reads schema %d", name, r.Schema, Schema)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

// Merge combines proofs. Proofs of the same programs, built by the same toolchain, are combined
// into one Merged. Duplicates of a proof are ignored, because a copied folder would otherwise look
// like more evidence.
func Merge(all []*Result, o *Options) (merged []*Merged) {
	var groups [][]*Result
	twice := 0
	for _, r := range all {
		at := slices.IndexFunc(groups, func(g []*Result) bool { return sameProof(g[0], r) })
		switch {
		case at < 0:
			groups = append(groups, []*Result{r})
		case slices.ContainsFunc(groups[at], func(other *Result) bool {
			return other.Started.Equal(r.Started) && maps.Equal(other.Environment, r.Environment)
		}):
			twice++
		default:
			groups[at] = append(groups[at], r)
		}
	}
	for _, g := range groups {
		m := mergeGroup(g, o)
		if twice > 0 {
			m.Notes = append(m.Notes, fmt.Sprintf("duplicate proofs, counted once each: %d", twice))
		}
		if len(groups) > 1 {
			m.Notes = append(m.Notes, "the proofs are of different programs, revisions or toolchains, and are merged separately")
		}
		merged = append(merged, m)
	}
	return merged
}

// sameProof reports whether two proofs compare the same programs, built by the same version of Go.
// Programs are identified by checksums of their sources, which are the same on all machines.
func sameProof(a, b *Result) bool {
	return a.Environment["go"] == b.Environment["go"] && reflect.DeepEqual(a.programs(), b.programs())
}

// A site is a machine with the proofs that ran on it.
type site struct {
	name, kind string
	results    []*Result
}

// sitesOf groups proofs by machine. The proofs of a machine are combined before machines are
// compared, so that a machine with many proofs is not treated as many machines. If the environment
// does not contain the host, machines that look the same are treated as one, which can only make
// the result more cautious.
func sitesOf(all []*Result) (sites []site) {
	for _, r := range all {
		kind := across.KindOf(r.Environment)
		name := cmp.Or(r.Environment["host"], across.Guessed(r.Environment))
		at := slices.IndexFunc(sites, func(s site) bool { return s.name == name && s.kind == kind })
		if at < 0 {
			at, sites = len(sites), append(sites, site{name: name, kind: kind})
		}
		sites[at].results = append(sites[at].results, r)
	}
	slices.SortStableFunc(sites, func(a, b site) int { return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name)) })
	return sites
}

// mergeGroup merges proofs of the same programs. If there is a proven loss on one kind of
// processor, the overall verdict is Revert, even if the mean over all kinds shows a gain. Otherwise
// some users would pay for the gain of others.
func mergeGroup(group []*Result, o *Options) *Merged {
	first := group[0]
	sites := sitesOf(group)
	m := &Merged{Schema: Schema, Base: first.Base.Name, Go: first.Environment["go"], Machines: len(sites), Reasons: []string{}, Notes: []string{}, Heads: []string{}}
	for _, c := range first.Comparisons {
		m.Heads = append(m.Heads, c.Head.Name)
	}
	m.All = partOf("all machines", sites, o)
	var kinds []string
	for _, s := range sites {
		if !slices.Contains(kinds, s.kind) {
			kinds = append(kinds, s.kind)
		}
	}
	for _, kind := range kinds {
		m.Kinds = append(m.Kinds, partOf(kind, slices.DeleteFunc(slices.Clone(sites), func(s site) bool { return s.kind != kind }), o))
	}
	m.Verdict, m.Reasons = m.All.Verdict, m.All.Reasons
	for _, k := range m.Kinds {
		if k.Verdict == Revert && m.Verdict != Revert {
			m.Verdict, m.Reasons = Revert, []string{"on " + k.Name + ": " + strings.Join(k.Reasons, "; ")}
		}
	}
	return m
}

// partOf merges the results of the given machines. Its tests form one family for Holm's method, so
// that the verdict for each kind of processor has its own error rate (docs/decisions/0029).
func partOf(name string, sites []site, o *Options) Part {
	p := Part{Name: name, Machines: len(sites), Subjects: []MergedRatios{}}
	comparisons := sites[0].results[0].Comparisons
	for i, c := range comparisons {
		var seen []string
		for _, s := range sites {
			for _, r := range s.results {
				for _, subject := range r.Comparisons[i].Subjects {
					if key := subject.Package + "\x00" + subject.Name; !slices.Contains(seen, key) {
						seen = append(seen, key)
						p.Subjects = append(p.Subjects, ratiosOf(sites, i, c.Head.Name, subject))
					}
				}
			}
		}
	}
	p.adjust(o)
	p.judge(sites, o)
	return p
}

// ratiosOf merges a subject's metrics over the given machines.
func ratiosOf(sites []site, comparison int, head string, of Subject) MergedRatios {
	m := MergedRatios{Head: head, Name: of.Name, New: map[string]Range{}}
	for _, metric := range of.Metrics {
		if measure.ReportOnly(metric.Name) || measure.Reported(metric.Name) && metric.Better == unknown {
			continue
		}
		tested := testedSomewhere(sites, comparison, of, metric)
		if one, ok := timedRatio(sites, comparison, of, metric.Name, m.New); tested && ok {
			one.Better = metric.Better
			m.Metrics = append(m.Metrics, one)
		}
		if !tested {
			m.Metrics = append(m.Metrics, exactRatio(sites, comparison, of, metric.Name))
		}
	}
	return m
}

// unknown is the direction of a metric that is not judged.
const unknown = metric.Unknown

// testedSomewhere reports whether a metric is tested on any machine. A reported metric may be
// constant on some machines and vary on others.
func testedSomewhere(sites []site, comparison int, of Subject, m measure.Metric) bool {
	return slices.ContainsFunc(sites, func(s site) bool {
		return slices.ContainsFunc(s.results, func(r *Result) bool {
			one, ok := r.find(comparison, of, m.Name)
			return ok && one.Tested()
		})
	})
}

// find returns a metric of a subject in a proof.
func (r *Result) find(comparison int, of Subject, metric string) (measure.Metric, bool) {
	for _, s := range r.Comparisons[comparison].Subjects {
		if s.Name != of.Name || s.Package != of.Package {
			continue
		}
		for _, m := range s.Metrics {
			if m.Name == metric {
				return m, true
			}
		}
	}
	return measure.Metric{}, false
}

// timedRatio merges a tested metric. It does not pool the ratios of all rounds: the rounds on one
// machine share its properties and are not independent, so the interval would be several times too
// narrow. For a single machine with a single proof, it returns the metric of that proof, with the
// rounds that measured a loss again. The p value is already adjusted, for the looks and by Holm's
// method. With several proofs the repeated rounds are ignored, because only machines that claim a
// loss have them.
func timedRatio(sites []site, comparison int, of Subject, metric string, predicted map[string]Range) (measure.Metric, bool) {
	var blocks []across.Block
	var own measure.Metric
	proofs := 0
	for _, s := range sites {
		var base, head []float64
		for _, r := range s.results {
			if m, ok := r.find(comparison, of, metric); ok {
				own = m
				proofs++
				base, head = append(base, m.Base...), append(head, m.Head...)
			}
		}
		if len(base) == len(head) {
			if b, ok := across.NewBlock(s.name, s.kind, base, head, alpha); ok {
				blocks = append(blocks, b)
			}
		}
	}
	m := measure.Metric{Name: metric, Outcome: measure.Open}
	switch {
	case proofs == 1:
		m.Ratio, m.Lo, m.Hi, m.P, m.Holm, m.Outcome = own.Ratio, own.Lo, own.Hi, own.P, own.Holm, own.Outcome
		m.Again = own.Again
		return m, true
	case len(blocks) == 0:
		return m, false
	}
	got := across.Combine(blocks, alpha)
	m.Ratio, m.P = got.Ratio, max(got.P, leastP)
	if got.Bounded() {
		m.Lo, m.Hi = got.Lo, got.Hi
	}
	if e := (across.Estimate{Ratio: 1, Lo: got.PredictLo, Hi: got.PredictHi}); e.Bounded() {
		predicted[metric] = Range{e.Lo, e.Hi}
	}
	return m, true
}

// leastP replaces a p value that underflows to 0, because 0 means that no test was performed.
const leastP = 1e-300

// exactRatio merges a metric that is not tested. If it is worse on some machine, the result
// contains the worst ratio. Otherwise the result contains the values of the first machine. If the
// outcomes differ between machines but none of them is worse, the outcome is Open and the result is
// not exact.
func exactRatio(sites []site, comparison int, of Subject, metric string) measure.Metric {
	m := measure.Metric{Name: metric, Outcome: measure.Open}
	first := true
	for _, s := range sites {
		for _, r := range s.results {
			one, ok := r.find(comparison, of, metric)
			if !ok {
				continue
			}
			switch {
			case first:
				m.Exact, m.Ratio, m.Outcome, m.Before, m.After, first = one.Exact, one.Ratio, one.Outcome, one.Before, one.After, false
				m.Better = one.Better
			case one.Outcome == measure.Worse || m.Outcome == measure.Worse:
				m.Exact, m.Ratio, m.Outcome = m.Exact && one.Exact, worse(m, one), measure.Worse
				m.Before, m.After = max(m.Before, one.Before), worst(m, one)
			case one.Outcome != m.Outcome:
				m.Exact, m.Outcome = false, measure.Open
			case one.Outcome == measure.Better && worse(m, one) != m.Ratio: // keep the smaller gain
				m.Ratio, m.Before, m.After = one.Ratio, one.Before, one.After
			}
		}
	}
	return m
}

// worst returns the worse of the After values of two metrics.
func worst(a, b measure.Metric) float64 {
	if a.Better == metric.Higher {
		return min(a.After, b.After)
	}
	return max(a.After, b.After)
}

// worse returns the worse of the ratios of two metrics.
func worse(a, b measure.Metric) float64 {
	if a.Better == metric.Higher {
		return min(a.Ratio, b.Ratio)
	}
	return max(a.Ratio, b.Ratio)
}

// adjust sets the outcomes of the metrics that are tested across machines. As in a single proof,
// equivalence is tested first. A metric whose p value is already adjusted comes from a single
// proof, and is left unchanged.
func (p *Part) adjust(o *Options) {
	var tests []*measure.Metric
	var values []float64
	for i := range p.Subjects {
		for j := range p.Subjects[i].Metrics {
			if m := &p.Subjects[i].Metrics[j]; m.P > 0 && m.Holm == 0 {
				tests, values = append(tests, m), append(values, m.P)
			}
		}
	}
	for i, adjusted := range stats.Holm(values) {
		m := tests[i]
		m.Holm = adjusted
		switch {
		case m.Hi > 0 && m.Lo > 1/(1+o.MinEffect) && m.Hi < 1+o.MinEffect:
			m.Outcome = measure.Equal
		case adjusted > alpha:
		case (m.Ratio < 1) != (m.Better == metric.Higher):
			m.Outcome = measure.Better
		default:
			m.Outcome = measure.Worse
		}
	}
}

// judge decides the verdict of the part in the same way as for a single proof. Unequal results on
// one machine are enough to reject the change: a program that is wrong on some processors is wrong.
func (p *Part) judge(sites []site, o *Options) {
	var t tally
	for i := range p.Subjects {
		s := &p.Subjects[i]
		s.Verdict, s.Reasons = o.decide(s.Metrics, func() string {
			return "no difference in " + metric.Named(o.Goal).Op + " is proven; add machines or rounds"
		})
		t.add(o, s.Name, s.Verdict, s.Metrics)
	}
	unequal, unproven := equalities(sites)
	switch {
	case len(unequal) > 0:
		p.Verdict, p.Reasons = Revert, []string{"the programs differ in " + joinFirst(unequal)}
	case len(p.Subjects) == 0:
		p.Verdict, p.Reasons = Identical, []string{"the same program twice; nothing was measured"}
	case t.has(Revert):
		p.Verdict, p.Reasons = Revert, []string{t.loss()}
	case t.has(Keep) && unproven:
		p.Verdict, p.Reasons = Undecided, []string{"faster, but not shown to be equal"}
	case t.has(Keep):
		p.Verdict, p.Reasons = Keep, []string{t.gain()}
	case t.has(Undecided):
		p.Verdict, p.Reasons = Undecided, []string{"neither a gain nor a loss is proven"}
	default:
		p.Verdict, p.Reasons = Same, []string{t.sameReason(o)}
	}
}

// equalities returns the machines whose proofs found different results. unproven is true if some
// proof has no evidence that the programs are equal.
func equalities(sites []site) (unequal []string, unproven bool) {
	for _, s := range sites {
		for _, r := range s.results {
			for _, c := range r.Comparisons {
				if len(c.Equality.Unequal) > 0 && !slices.Contains(unequal, s.name) {
					unequal = append(unequal, s.name)
				}
				unproven = unproven || c.Equality.Level == Unproven
			}
		}
	}
	return unequal, unproven
}
