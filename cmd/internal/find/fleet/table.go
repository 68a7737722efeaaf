package fleet

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A Group contains the totals of all profiles with the same labels.
type Group struct {
	Labels    map[string]string // labels of Options.By that the profiles have
	Profiles  int
	Processes int              // number of processes with heap profiles; a merged profile counts as one
	Watched   time.Duration    // total time between the first and the last profile of each process
	Followed  int              // number of processes with at least two heap profiles
	Meanwhile profiles.Objects // what these processes allocated in the watched time
	CPU       *profiles.CPU
	Heap      *profiles.Heap // allocations of each process until its last profile, and values in use then
	// Sites contains the sites, with objects and bytes per process. If processes were watched,
	// Fate.Age is the mean age in seconds. If a site allocated nothing while it was watched, its
	// values are treated as retained, and Fate.Age is the watched time, a lower bound.
	Sites []*site.Site
	// Grown contains, for each site, the growth of its objects in use divided by its allocations in
	// the watched time. The quotient is near 1 if no object dies, and near 0 if as many objects die
	// as are allocated. Sites without allocations in that time are missing.
	Grown map[*site.Site]float64
}

// A table adds up the profiles of each group as they are read.
type table struct {
	by     []string
	groups map[string]*group
	last   process // process whose profile was read last
	files  files
}

type group struct {
	Group
	ages map[profiles.Key]*age
}

// An age contains the sums from which Little's law determines the mean age of a site's values.
type age struct {
	area      float64 // objects in use, integrated over time, in object-seconds
	allocated int64   // objects allocated in the watched time
	grown     int64   // growth of the number of objects in use
	watched   float64 // watched time in seconds
}

// A process contains the last heap profile that was read from one process.
type process struct {
	group    *group
	instance string
	time     time.Time
	heap     *profiles.Heap
	followed bool // an earlier profile of the process was read
}

// add adds a profile to its group, and returns the allocations of the process up to its previous
// profile.
func (t *table) add(d digest) (before *profiles.Heap) {
	g := t.group(d.labels)
	g.Profiles++
	t.files.rename(&d)
	if d.cpu != nil {
		g.CPU.Merge(d.cpu)
		return &profiles.Heap{}
	}
	before = &profiles.Heap{}
	if d.merged {
		g.Processes = max(g.Processes, 1)
		g.allocated(d.heap, before)
		return before
	}
	next := process{group: g, instance: d.instance, time: d.time, heap: d.heap}
	if next.follows(t.last) {
		before, next.followed = t.last.heap, true
		if !t.last.followed {
			g.Followed++
		}
		g.age(t.last, next)
	} else {
		g.Processes++
	}
	g.allocated(d.heap, before)
	t.last = next
	return before
}

func (t *table) group(labels map[string]string) *group {
	var id strings.Builder
	kept := map[string]string{}
	for _, name := range t.by {
		if value := labels[name]; value != "" {
			kept[name] = value
		}
		id.WriteString(labels[name] + "\x00")
	}
	g, ok := t.groups[id.String()]
	if !ok {
		g = &group{
			Group: Group{Labels: kept, CPU: &profiles.CPU{}, Heap: &profiles.Heap{Sites: map[profiles.Key]profiles.Objects{}}},
			ages:  map[profiles.Key]*age{},
		}
		t.groups[id.String()] = g
	}
	return g
}

// follows reports whether p is a later profile of the process that wrote last. If a counter is
// smaller than before, the process was restarted.
func (p process) follows(last process) bool {
	if last.group != p.group || last.instance != p.instance || !p.time.After(last.time) || last.time.IsZero() {
		return false
	}
	for k, before := range last.heap.Sites {
		if after := p.heap.Sites[k]; after.Objects < before.Objects || after.Bytes < before.Bytes {
			return false
		}
	}
	return true
}

// allocated adds the difference between two profiles of one process to the sums of the group.
func (g *group) allocated(after, before *profiles.Heap) {
	for k, o := range after.Sites {
		sum := g.Heap.Sites[k]
		sum.Add(o, 1)
		sum.Add(before.Sites[k], -1)
		g.Heap.Sites[k] = sum
	}
	for _, part := range []struct{ to, after, before *profiles.Objects }{
		{&g.Heap.Total, &after.Total, &before.Total}, {&g.Heap.Harness, &after.Harness, &before.Harness},
	} {
		part.to.Add(*part.after, 1)
		part.to.Add(*part.before, -1)
	}
	g.Heap.Rate = after.Rate
}

// age adds the interval between two profiles of one process to the sums that determine ages.
func (g *group) age(before, after process) {
	watched := after.time.Sub(before.time)
	g.Watched += watched
	g.Meanwhile.Add(after.heap.Total, 1)
	g.Meanwhile.Add(before.heap.Total, -1)
	for k, o := range after.heap.Sites {
		was := before.heap.Sites[k]
		a, ok := g.ages[k]
		if !ok {
			a = &age{}
			g.ages[k] = a
		}
		// The number of objects in use between the two profiles is approximated by the mean of
		// both.
		a.area += float64(was.InUse+o.InUse) / 2 * watched.Seconds()
		a.allocated += o.Objects - was.Objects
		a.grown += o.InUse - was.InUse
		a.watched += watched.Seconds()
	}
}

// result returns all groups with their sites. The group that allocates the most bytes comes first.
func (t *table) result() []*Group {
	var all []*Group
	all = slices.Grow(all, len(t.groups))
	for _, g := range t.groups {
		g.Sites = profiles.Sites(g.CPU, g.Heap, float64(max(1, g.Processes)))
		g.Grown = map[*site.Site]float64{}
		for _, s := range g.Sites {
			k := profiles.Key{Place: s.Place}
			if s.Leaf != nil {
				k.Leaf = *s.Leaf
			}
			a := g.ages[k]
			switch {
			case a == nil:
			case a.allocated > 0:
				s.Fate.Age = a.area / float64(a.allocated)
				if a.area == 0 { // no object was seen in use: at most one was in use at a time
					s.Fate.Age = a.watched / float64(a.allocated)
				}
				g.Grown[s] = float64(a.grown) / float64(a.allocated)
			case a.area > 0:
				s.Fate = site.Fate{Retained: 1, Method: site.Little, Age: a.watched}
			}
		}
		all = append(all, &g.Group)
	}
	slices.SortFunc(all, func(a, b *Group) int {
		return cmp.Or(cmp.Compare(b.Heap.Total.Bytes, a.Heap.Total.Bytes), cmp.Compare(name(a.Labels), name(b.Labels)))
	})
	return all
}

func name(labels map[string]string) string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, k+"="+labels[k])
	}
	return strings.Join(all, ",")
}
