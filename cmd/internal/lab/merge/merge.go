package merge

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/cmd/internal/lab/report"
	"github.com/coppice-go/coppice/cmd/internal/process/quiet"
	"github.com/coppice-go/coppice/cmd/internal/stats"
	"github.com/coppice-go/coppice/cmd/internal/stats/across"
)

// alpha is the allowed rate of false positives.
const alpha = 1 - stats.Confidence

// A Report contains the combined results of all machines for an experiment.
type Report struct {
	Experiment experiment.Experiment
	Machines   []Machine
	Kinds      int
	Sessions   int
	Rankings   []Ranking
	Notes      []string
	Command    string // the command that merged them, for the Markdown form; or ""
}

// A Ranking compares the contenders of one group and class at one depth and number of threads.
type Ranking struct {
	report.Ranking // its field Rows is empty
	Rows           []Row
	Orders         []across.Order // order of each pair of rows
	Fewest         int            // minimum number of rounds for one machine to prove an order

	most int // maximum number of rounds of a pair on one machine
}

// A Row contains a contender's ratio to its baseline, combined over the machines that ran both in
// the same rounds.
type Row struct {
	Contender, Baseline string
	across.Result
	Rounds int // total number of rounds on all machines
}

// IsBaseline reports whether the contender is the baseline itself, so that the ratio is 1.
func (r Row) IsBaseline() bool { return r.Contender == r.Baseline }

// builder holds the intermediate results of Build.
type builder struct {
	Report
	baseline    string
	rounds      []compare.Rounds // rounds of each machine
	contenderOf func(name string) string
	together    func(name, baseline string) []string
}

// Build merges the sessions of one experiment. A baseline other than "" replaces the declared
// baseline of its group.
func Build(e experiment.Experiment, g *Gathered, baseline string) Report {
	b := builder{Report: Report{Experiment: e, Notes: slices.Clone(g.Notes)}, baseline: baseline}
	var own []record.Session
	for _, s := range g.Sessions {
		s.Runs = slices.DeleteFunc(slices.Clone(s.Runs), func(r record.Run) bool { return r.Experiment != e.Name })
		for i, r := range s.Runs {
			if r.Built() && r.Program == "" {
				s.Runs[i].Program = unnamed(r, s.Environment.Values)
			}
		}
		if len(s.Runs) > 0 {
			own = append(own, s)
		}
	}
	b.Sessions = len(own)
	var notes []string
	own, b.contenderOf, b.together, notes = report.Apart(own)
	b.Notes = append(b.Notes, notes...)
	var guessed bool
	if b.Machines, guessed = machines(own); guessed {
		b.Notes = append(b.Notes, "some sessions do not name their machine: those with the same processor, cores and memory count as one machine")
	}
	if busy := slices.DeleteFunc(slices.Clone(own), func(s record.Session) bool { return !quiet.Kept(s.Environment.Values).Busy() }); len(busy) > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d of %d sessions were %s", len(busy), len(own), quiet.Mark))
	}
	b.Notes = append(b.Notes, report.Speeds(own)...)
	b.Notes = append(b.Notes, tools(own)...)
	b.Notes = append(b.Notes, declarations(g.Declared, e)...)
	kinds := map[string]bool{}
	for _, m := range b.Machines {
		kinds[m.Kind] = true
		b.rounds = append(b.rounds, compare.RoundsOf(m.runs))
	}
	b.Kinds = len(kinds)
	b.rankings()
	b.Notes = append(b.Notes, b.failed()...)
	return b.Report
}

// unnamed returns an ID for the program of a run that was recorded without a hash. The ID is
// derived from the revision and the tools, so that runs of different programs are not pooled.
func unnamed(r record.Run, values map[string]string) string {
	tree := r.Revision
	if r.Dirty {
		tree += "+"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{tree, values["go"], values["gcc"], values["clang"]}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// tools returns notes about tools whose versions differ between sessions. Results of different
// programs are kept apart in any case.
func tools(sessions []record.Session) (all []string) {
	for _, key := range []string{"goos", "goarch", "go", "go-experiment", "gcc", "clang"} {
		values := map[string]bool{}
		for _, s := range sessions {
			values[cmp.Or(s.Environment.Values[key], "unknown")] = true
		}
		if len(values) > 1 {
			all = append(all, fmt.Sprintf("machines differ in %s: %s; different programs have separate rows", key, joinFirst(slices.Sorted(maps.Keys(values)))))
		}
	}
	return all
}

// declarations returns a note if the folders contain different declarations of the experiment.
func declarations(declared []experiment.Experiment, e experiment.Experiment) []string {
	n := 0
	for _, d := range declared {
		if d.Name == e.Name {
			n++
		}
	}
	if n < 2 {
		return nil
	}
	return []string{fmt.Sprintf("%d declarations of %s differ in contenders, baselines or metric; the one in the last folder is used", n, e.Name)}
}

// rankings creates the rankings with their rows.
func (b *builder) rankings() {
	seen := map[compare.Which]bool{}
	members := map[int][]compare.Which{}
	for _, rounds := range b.rounds {
		for _, r := range rounds.All() {
			w := compare.Which{Contender: r.Contender, Depth: r.Depth, Workers: r.Workers}
			if seen[w] {
				continue
			}
			seen[w] = true
			contender := b.contenderOf(r.Contender)
			k := report.Ranking{Group: b.Experiment.GroupOf(contender), Class: b.Experiment.ClassOf(contender, r.Class), Depth: r.Depth, Workers: r.Workers}
			at := slices.IndexFunc(b.Rankings, func(other Ranking) bool { return sameRanking(other.Ranking, k) })
			if at < 0 {
				at, b.Rankings = len(b.Rankings), append(b.Rankings, Ranking{Ranking: k})
			}
			members[at] = append(members[at], w)
		}
	}
	for i := range b.Rankings {
		b.rank(&b.Rankings[i], members[i])
	}
	b.Rankings = slices.DeleteFunc(b.Rankings, func(k Ranking) bool { return len(k.Rows) == 0 })
	slices.SortStableFunc(b.Rankings, func(x, y Ranking) int {
		return cmp.Or(cmp.Compare(x.Group, y.Group), cmp.Compare(x.Class, y.Class), cmp.Compare(x.Depth, y.Depth), cmp.Compare(x.Workers, y.Workers))
	})
}

func sameRanking(a, b report.Ranking) bool {
	return a.Group == b.Group && a.Class == b.Class && a.Depth == b.Depth && a.Workers == b.Workers
}

// baselines returns the programs of the baseline with which a contender is compared.
func (b *builder) baselines(name string) []string {
	contender := b.contenderOf(name)
	base := b.Experiment.BaselineOf(contender)
	if b.baseline != "" && b.Experiment.GroupOf(b.baseline) == b.Experiment.GroupOf(contender) {
		base = b.baseline
	}
	if contender == base {
		return []string{name}
	}
	return b.together(name, base)
}

// rank fills in the rows of a ranking and the orders of its pairs.
func (b *builder) rank(k *Ranking, members []compare.Which) {
	var compared []compare.Which
	for _, w := range members {
		before := len(k.Rows)
		for _, base := range b.baselines(w.Contender) {
			if w.Contender == base {
				k.Rows = append(k.Rows, Row{Contender: base, Baseline: base, Result: across.Result{Estimate: across.Estimate{Ratio: 1, P: 1}, PUnlike: 1}})
				continue
			}
			if row, ok := b.row(w, base); ok {
				k.Rows = append(k.Rows, row)
			}
		}
		if len(k.Rows) > before {
			compared = append(compared, w)
		} else {
			b.Notes = append(b.Notes, fmt.Sprintf("%s is left out: no machine ran it and its baseline, %s, in %d rounds or more",
				w.Contender, b.Experiment.BaselineOf(b.contenderOf(w.Contender)), across.Fewest))
		}
	}
	if !slices.ContainsFunc(k.Rows, func(r Row) bool { return !r.IsBaseline() }) {
		k.Rows = nil
		return
	}
	k.adjust()
	slices.SortStableFunc(k.Rows, func(x, y Row) int { return cmp.Compare(x.Ratio, y.Ratio) })
	slices.SortStableFunc(compared, func(x, y compare.Which) int { return cmp.Compare(k.place(x.Contender), k.place(y.Contender)) })
	b.order(k, compared)
}

// adjust adjusts the p values of the tests for differences between machines by Holm's method. All
// rows of the ranking form one family, except for the baselines, which are not tested.
func (k *Ranking) adjust() {
	var p []float64
	var tested []*Row
	for i := range k.Rows {
		if r := &k.Rows[i]; !r.IsBaseline() {
			p, tested = append(p, r.PUnlike), append(tested, r)
		}
	}
	for i, adjusted := range stats.Holm(p) {
		tested[i].PUnlike = adjusted
	}
}

// place returns the index of the first row of a contender, or -1 if there is none.
func (k *Ranking) place(contender string) int {
	return slices.IndexFunc(k.Rows, func(r Row) bool { return r.Contender == contender })
}

// row combines the results of the machines that ran a contender and a baseline. It returns false if
// there are none.
func (b *builder) row(w compare.Which, base string) (Row, bool) {
	blocks, short := b.blocksOf(w, base)
	if len(blocks) > 0 && len(short) > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%s is left out where it and %s have fewer than %d rounds, or a value of zero: %s", w.Contender, base, across.Fewest, joinFirst(short)))
	}
	if len(blocks) == 0 {
		return Row{}, false
	}
	row := Row{Contender: w.Contender, Baseline: base, Result: across.Combine(blocks, alpha)}
	for _, block := range blocks {
		row.Rounds += block.Own.N
	}
	return row, true
}

// blocksOf returns a block for each machine that ran the contender and the baseline together in
// enough rounds. short lists the machines with too few common rounds.
func (b *builder) blocksOf(w compare.Which, base string) (blocks []across.Block, short []string) {
	for i, m := range b.Machines {
		under, over := b.rounds[i].Pairs(w, base, b.Experiment.Metric)
		if block, ok := across.NewBlock(m.Name, m.Kind, under, over, alpha); ok {
			blocks = append(blocks, block)
		} else if len(under) > 0 {
			short = append(short, m.Name)
		}
	}
	return blocks, short
}

// order determines for each pair of contenders whether one is ahead of the other on all machines.
func (b *builder) order(k *Ranking, members []compare.Which) {
	var pairs []across.Pair
	for i, first := range members {
		for _, second := range members[i+1:] {
			if blocks, _ := b.blocksOf(first, second.Contender); len(blocks) > 0 {
				pairs = append(pairs, across.Pair{First: first.Contender, Second: second.Contender, Blocks: blocks})
				for _, block := range blocks {
					k.most = max(k.most, block.Own.N)
				}
			}
		}
	}
	k.Orders, k.Fewest = across.Orders(pairs, alpha), across.Needed(pairs, alpha)
}

// failed returns notes about contenders that are left out on a machine because they failed there.
func (b *builder) failed() (all []string) {
	for i, m := range b.Machines {
		for _, r := range b.rounds[i].All() {
			if f, failed := b.rounds[i].Failure(compare.Which{Contender: r.Contender, Depth: r.Depth, Workers: r.Workers}); failed {
				all = append(all, fmt.Sprintf("%s is left out on %s: %s: %s", r.Contender, m.Name, f.Status, f.Reason))
			}
		}
	}
	if len(all) > most {
		all = append(all[:most:most], fmt.Sprintf("%d more contenders are left out on a machine", len(all)-most))
	}
	return all
}
