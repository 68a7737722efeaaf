// Package merge combines the results of several machines. Each machine is a block: its values are
// compared only with each other, and package across combines the resulting ratios. Values of
// different machines are never averaged. docs/decisions/0029 gives the reasons.
package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// planFile marks a folder as the folder of a plan. The results of the plan are in resultsFolder,
// which has a subfolder for each shard.
const (
	planFile      = "plan.json"
	resultsFolder = "results"
)

// mostShards is the maximum number of shards of a plan.
const mostShards = 1_000_000

// Keys of a session's environment.
const (
	planKey   = "plan"          // hash of the plan to which the session belongs
	shardKey  = "shard"         // index of the shard, from 0
	numberKey = "shard-session" // index of the session in the shard, from 0
	nodeKey   = "node"          // the scheduler's name for the machine
	hostKey   = "host"          // hash of the machine's host name
)

// A Gathered contains the results of several folders. Each session is included once.
type Gathered struct {
	Sessions []record.Session
	Declared []experiment.Experiment // distinct declarations, in the order of folders
	Notes    []string                // notes about missing and duplicate sessions
	Folders  int                     // number of folders with results
}

// Gather reads the results in the given folders. If a folder contains a plan, Gather reads the
// results of the shards of this plan.
func Gather(folders []string) (*Gathered, error) {
	g := newGathering()
	for _, folder := range folders {
		if err := g.folder(folder, g.results); err != nil {
			return nil, err
		}
	}
	if len(g.Sessions) == 0 {
		return nil, noResults(folders)
	}
	g.Notes = g.notes()
	return g.Gathered, nil
}

// Each calls f for each folder in turn, with the sessions in the folder, and holds only one folder
// in memory at a time. It returns notes about missing and duplicate results.
func Each(folders []string, f func(sessions []record.Session) error) (notes []string, err error) {
	g := newGathering()
	found := false
	for _, folder := range folders {
		err := g.folder(folder, func(part string) error {
			sessions, err := read(part)
			if err != nil {
				return err
			}
			g.Sessions = nil
			for _, s := range sessions {
				g.session(part, s)
			}
			found = found || len(g.Sessions) > 0
			return f(g.Sessions)
		})
		if err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, noResults(folders)
	}
	return g.notes(), nil
}

func noResults(folders []string) error {
	return fmt.Errorf("%s: no results of any shard; coppice lab run -shard writes them", strings.Join(folders, ", "))
}

func newGathering() *gathering {
	return &gathering{seen: map[string]string{}, sessions: map[string]bool{}, Gathered: &Gathered{}}
}

// notes returns notes about duplicate and missing results.
func (g *gathering) notes() (all []string) {
	if g.twice > 0 {
		all = append(all, duplicateNote(g.twice))
	}
	if len(g.again) > 0 {
		all = append(all, fmt.Sprintf("measured more than once; the first is used: %s", joinFirst(g.again)))
	}
	return append(all, g.missing()...)
}

func duplicateNote(n int) string {
	if n == 1 {
		return "1 duplicate session is counted once"
	}
	return fmt.Sprintf("%d duplicate sessions are counted once", n)
}

type gathering struct {
	*Gathered
	seen     map[string]string // full session names by the ID that the method session computes
	sessions map[string]bool   // session names in use
	plans    []plan
	twice    int
	again    []string
}

// A plan identifies a plan whose results are merged, and records the shards that were found.
type plan struct {
	folder string
	hash   string
	shards int
	found  map[int]bool
}

// folder passes the given results folder to the function each. If the folder contains a plan, it
// passes the results folders of the plan's shards instead.
func (g *gathering) folder(folder string, each func(part string) error) error {
	parts, p, err := shards(folder)
	if err != nil {
		return err
	}
	if p != nil && !slices.ContainsFunc(g.plans, func(other plan) bool { return other.hash == p.hash }) {
		g.plans = append(g.plans, *p)
	}
	for _, part := range parts {
		if err := each(part); err != nil {
			return err
		}
	}
	return nil
}

// shards returns the plan in folder, and the results folders of its shards. If folder contains no
// plan, shards returns the folder itself and a nil plan.
func shards(folder string) ([]string, *plan, error) {
	text, err := os.ReadFile(filepath.Join(folder, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		return []string{folder}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var file struct {
		Hash   string
		Shards int
	}
	if err := json.Unmarshal(text, &file); err != nil || file.Shards < 1 || file.Shards > mostShards || file.Hash == "" {
		return nil, nil, fmt.Errorf("%s is not a plan of the lab; coppice lab plan writes one", filepath.Join(folder, planFile))
	}
	p := &plan{folder: folder, hash: file.Hash, shards: file.Shards, found: map[int]bool{}}
	entries, err := os.ReadDir(filepath.Join(folder, resultsFolder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	var numbers []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && e.IsDir() {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	var parts []string
	for _, n := range numbers {
		parts = append(parts, filepath.Join(folder, resultsFolder, strconv.Itoa(n)))
	}
	return parts, p, nil
}

// read reads the sessions in a results folder.
func read(folder string) ([]record.Session, error) {
	sessions, err := record.Read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		if _, proof := os.Stat(filepath.Join(folder, "result.json")); proof == nil {
			return nil, fmt.Errorf("%s contains a proof, not results of coppice lab; coppice prove -merge merges proofs", folder)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w; coppice lab run -out DIR writes results", err)
	}
	return sessions, nil
}

// results adds the sessions in a results folder, except for those that are already known.
func (g *gathering) results(folder string) error {
	sessions, err := read(folder)
	if err != nil {
		return err
	}
	e, declared, err := experiment.Saved(folder)
	if err != nil {
		return err
	}
	if declared && !slices.ContainsFunc(g.Declared, func(other experiment.Experiment) bool { return sameDeclaration(e, other) }) {
		g.Declared = append(g.Declared, e)
	}
	g.Folders++
	slices.SortStableFunc(sessions, func(a, b record.Session) int { return a.Environment.Started.Compare(b.Environment.Started) })
	for _, s := range sessions {
		if declared {
			slim(s.Runs, e.Metric)
		}
		g.session(folder, s)
	}
	return nil
}

// sameDeclaration reports whether two declarations agree in the properties that matter for a merge.
func sameDeclaration(a, b experiment.Experiment) bool {
	names := func(e experiment.Experiment) (all []string) {
		for _, c := range e.Contenders {
			all = append(all, c.Name+"\x00"+c.Group+"\x00"+c.Baseline)
		}
		return all
	}
	return a.Name == b.Name && a.Metric == b.Metric && a.Baseline == b.Baseline && slices.Equal(names(a), names(b))
}

// slim removes the figures that a merge does not need, because a million runs with all their
// figures do not fit into memory.
func slim(runs []record.Run, metric string) {
	for i, r := range runs {
		if v, ok := r.Figures[metric]; ok {
			runs[i].Figures = map[string]float64{metric: v}
		} else {
			runs[i].Figures = nil
		}
	}
}

// session adds a session unless it is already known. A session of a shard is identified by its
// position in the plan, so that a shard that two machines measured is included only once. Any other
// session is identified by its name, its machine and its start time.
func (g *gathering) session(folder string, s record.Session) {
	values := s.Environment.Values
	name := strings.Join([]string{s.Environment.Session, s.Environment.Started.String(), values[nodeKey], values[hostKey], values["cpu"]}, "\x00")
	id := name
	if values[planKey] != "" {
		id = strings.Join([]string{values[planKey], values[shardKey], values[numberKey]}, "\x00")
		for _, p := range g.plans {
			if n, err := strconv.Atoi(values[shardKey]); err == nil && p.hash == values[planKey] {
				p.found[n] = true
			}
		}
	}
	switch before, known := g.seen[id]; {
	case known && before == name:
		g.twice++
		return
	case known:
		g.again = append(g.again, fmt.Sprintf("shard %s in %s", values[shardKey], folder))
		return
	}
	g.seen[id] = name
	unique := s.Environment.Session
	for n := 2; g.sessions[unique]; n++ { // machines may start sessions in the same millisecond
		unique = fmt.Sprintf("%s/%d", s.Environment.Session, n)
	}
	g.sessions[unique] = true
	s.Environment.Session = unique
	s.Runs = dedupe(s.Runs, unique)
	g.Sessions = append(g.Sessions, s)
}

// dedupe returns the runs of a session without duplicates, and sets their session name. Duplicates
// occur if files were concatenated twice.
func dedupe(runs []record.Run, session string) []record.Run {
	type which struct {
		experiment, contender string
		depth, workers, round int
	}
	seen := map[which]bool{}
	all := make([]record.Run, 0, len(runs))
	for _, r := range runs {
		w := which{r.Experiment, r.Contender, r.Depth, r.Workers, r.Round}
		if !seen[w] {
			r.Session = session
			all = append(all, r)
		}
		seen[w] = true
	}
	return all
}

// missing returns a note for each plan with shards that have no results.
func (g *gathering) missing() (all []string) {
	for _, p := range g.plans {
		var missing []string
		for n := range p.shards {
			if !p.found[n] {
				missing = append(missing, strconv.Itoa(n))
			}
		}
		if len(missing) > 0 {
			all = append(all, fmt.Sprintf("%s: %d of %d shards have no results: %s; coppice lab run -shard %s/N measures one",
				p.folder, len(missing), p.shards, joinFirst(missing), p.folder))
		}
	}
	return all
}

// most is the maximum number of names to print from a list.
const most = 12

// joinFirst joins names with commas. If there are more names than the constant most, it lists only
// the first ones, and states how many more there are.
func joinFirst(names []string) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
