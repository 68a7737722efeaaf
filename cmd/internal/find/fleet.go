package find

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find/fleet"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Sources specifies which profiles to read, and how.
type Sources struct {
	Heap, CPU []string // files, folders and URLs, as package fleet reads them
	Dir       string   // a folder of the profiled module; empty if its source is not available
	From      string   // the folder in which the user runs the next command
	Fleet     fleet.Options
	Tool      string
	Show      func(what string) // called with progress messages
}

// mostGroups limits the number of label groups that are analyzed. The source is analyzed once for
// each group, which takes seconds.
const mostGroups = 12

// Profiles analyzes existing profiles and returns a result for each group of labels. The group that
// allocates the most bytes comes first.
func Profiles(ctx context.Context, o Sources) ([]*Result, error) {
	started := time.Now().UTC()
	source, err := openSource(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	o.Fleet.Mine, o.Fleet.Tree = source.owns, source.tree
	o.Show("reading profiles")
	read, err := fleet.ReadNamed(ctx, fleet.Named(o.Heap, o.CPU), o.Fleet)
	if err != nil {
		return nil, err
	}
	warnings := read.Warnings()
	groups := read.Groups
	if len(groups) > mostGroups {
		warnings = append(warnings, fmt.Sprintf("of %d groups of labels, the first %d are shown; split by fewer labels with -by", len(groups), mostGroups))
		groups = groups[:mostGroups]
	}
	var all []*Result
	for _, g := range groups {
		r := &Result{
			Schema: Schema, Tool: o.Tool, Started: started, Warnings: warnings,
			Environment: environment(g), Classes: g.CPU.Classes, Sites: g.Sites,
			Target: Target{Name: nameOf(g, &o), Unit: "profile", Dir: o.Dir, Sources: o.names()},
		}
		warnings = nil // only the first result contains them
		r.group(g)
		o.Show("reading the source")
		if err := source.fill(ctx, r); err != nil {
			return nil, err
		}
		source.next(r, o.From)
		r.decide()
		for i := range r.Proposals {
			p := &r.Proposals[i]
			p.Next = source.nextOf(r, p, o.From)
		}
		all = append(all, r)
	}
	return all, nil
}

// environment describes the profiles and the processes that wrote them. It does not describe this
// machine, which only reads the profiles.
func environment(g *fleet.Group) map[string]string {
	all := map[string]string{"profiles": fmt.Sprint(g.Profiles), "processes": fmt.Sprint(g.Processes)}
	if g.Followed > 0 {
		all["watched"] = fmt.Sprintf("%d processes, together for %v", g.Followed, g.Watched.Round(time.Millisecond))
	}
	for k, v := range g.Labels {
		all["label "+k] = v
	}
	return all
}

// names returns the names of all sources, without duplicates. It removes passwords from them,
// because users share the answers.
func (o *Sources) names() (all []string) {
	for _, n := range slices.Concat(o.Heap, o.CPU) {
		if u, err := url.Parse(n); err == nil && u.User != nil {
			n = u.Redacted()
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// nameOf names a group by its labels, or by its sources.
func nameOf(g *fleet.Group, o *Sources) string {
	if len(g.Labels) == 0 {
		return joinFirst(o.names())
	}
	var labels []string
	for _, k := range slices.Sorted(maps.Keys(g.Labels)) {
		labels = append(labels, k+"="+g.Labels[k])
	}
	return strings.Join(labels, ", ")
}

// group sets the costs and lifetimes in the result from the values of a group of profiles. If
// processes were watched, an operation is one second of a process's run time, and its cost is what
// a process allocates in that second. Otherwise an operation is one profile, and its cost is what a
// process had allocated by its last profile. In both cases the shares of the sites refer to all
// allocations since the start, because these shares have the smallest sampling error.
func (r *Result) group(g *fleet.Group) {
	processes := float64(max(1, g.Processes))
	r.Op = Op{
		Allocs: float64(g.Heap.Total.Objects) / processes, Bytes: float64(g.Heap.Total.Bytes) / processes, Exact: g.Heap.Rate == 1,
	}
	if m := g.Meanwhile; g.Watched > 0 && m.Objects > 0 && m.Bytes > 0 {
		r.Target.Unit = "second"
		r.Op.Allocs, r.Op.Bytes = float64(m.Objects)/g.Watched.Seconds(), float64(m.Bytes)/g.Watched.Seconds()
	}
	each := time.Duration(0)
	if g.Followed > 0 {
		each = g.Watched / time.Duration(g.Followed)
	}
	for _, s := range g.Sites {
		s.Objects, s.Bytes = s.ObjectsPart*r.Op.Allocs, s.BytesPart*r.Op.Bytes
		s.InUse, s.InUseBytes = int64(float64(s.InUse)/processes), int64(float64(s.InUseBytes)/processes)
		grown, allocated := g.Grown[s]
		s.Fate = fateOfAge(s.Fate.Age, each, grown, allocated)
	}
	if g.Heap.Rate > 1 {
		r.warn("allocations are sampled, one per %d bytes", g.Heap.Rate)
	}
}

// Thresholds for fateOfAge.
const (
	retainedFor = 10.0 // seconds; few operations of a service last that long
	mostStays   = 0.7  // fraction of the allocated objects that remain in use
)

// fateOfAge returns the fate of a site's values, given their mean age in seconds and the time for
// which each process was watched. Values are retained if they are older than the operations of a
// service, or if the processes were watched longer than such an operation and the values stayed
// alive. Younger values get an age but no fate, because profiles do not show whether they die
// before their operation ends.
func fateOfAge(age float64, watched time.Duration, grown float64, allocated bool) site.Fate {
	long := watched.Seconds() >= retainedFor
	switch {
	case age <= 0:
		return site.Fate{}
	case allocated && age >= retainedFor, !allocated && long, allocated && long && grown >= mostStays:
		return site.Fate{Retained: 1, Method: site.Little, Age: age}
	case !allocated, grown >= mostStays:
		return site.Fate{} // the values live longer than the process was watched
	}
	return site.Fate{Age: age}
}

// packageOf returns the package of a proposal's first site.
func (r *Result) packageOf(p *Proposal) string {
	for _, s := range r.Sites {
		if slices.Contains(p.Sites, s.ID) {
			return s.Package
		}
	}
	return ""
}

// owner returns the user's package that uses the most CPU time in malloc or, without a CPU profile,
// allocates the most bytes. It returns "" if there is none.
func (r *Result) owner(mine func(string) bool) string {
	type sum struct{ malloc, bytes float64 }
	sums := map[string]sum{}
	for _, s := range r.Sites {
		if mine(s.Package) {
			t := sums[s.Package]
			sums[s.Package] = sum{t.malloc + s.Malloc, t.bytes + s.BytesPart}
		}
	}
	best := ""
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		a, b := sums[name], sums[best]
		if best == "" || cmp.Or(cmp.Compare(a.malloc, b.malloc), cmp.Compare(a.bytes, b.bytes)) > 0 {
			best = name
		}
	}
	return best
}
