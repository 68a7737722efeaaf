package fleet

import (
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find/profiles"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A digest contains the sites of a profile, which are kept in memory instead of the profile.
// Thousands of whole profiles would not fit into memory, because a profile is a hundred times as
// large as its digest.
type digest struct {
	name     string
	labels   map[string]string
	instance string
	merged   bool
	time     time.Time // zero if the profile contains no time
	heap     *profiles.Heap
	cpu      *profiles.CPU
	err      error
	from     string // folder of the profile; asked is the kind of profile to read from it
	asked    Kind
	skipped  bool // the profile is not read, because it has another kind

	missed, checked int // numbers of places: missing in Options.Tree, and looked up there
	example         site.Place
}

// A digester creates digests, one at a time. Its digests share strings, because most profiles
// contain the same names.
type digester struct {
	o     *Options
	scope *profiles.Scope
}

func newDigester(o *Options) *digester {
	return &digester{o, &profiles.Scope{Mine: o.Mine}}
}

func (d *digester) digest(s source, data []byte) digest {
	p, err := profiles.Parse(s.name, data, d.o.MaxSize)
	if err != nil {
		return digest{err: err}
	}
	if profiles.Negative(p) {
		return digest{err: fmt.Errorf("%s: the profile has negative values, so it is the difference of two profiles (go tool pprof -proto -base); pass the profiles that the program wrote", s.name)}
	}
	got := digest{name: s.name, labels: s.labels, instance: s.instance, merged: s.merged}
	if s.file {
		got.labels = pathLabels(s.name)
	}
	if more := sampleLabels(p); len(more) > 0 {
		// If the path and the samples have the same label, the value in the path wins, because the
		// user chose the path.
		maps.Copy(more, got.labels)
		got.labels = more
	}
	for _, name := range instanceLabels {
		if value := got.labels[name]; value != "" {
			got.instance = value
			break
		}
	}
	if p.TimeNanos != 0 {
		got.time = time.Unix(0, p.TimeNanos)
	}
	got.from, got.asked = s.from, s.kind
	var types []string
	for _, t := range p.SampleType {
		types = append(types, t.Type)
		switch t.Type {
		case "alloc_objects", "alloc_space", "inuse_objects", "inuse_space":
			got.heap = &profiles.Heap{}
		case "samples", "cpu":
			got.cpu = &profiles.CPU{}
		}
	}
	switch {
	case got.heap != nil:
		got.cpu = nil
		err = got.heap.Add(d.scope, p)
	case got.cpu != nil:
		err = got.cpu.Add(d.scope, p)
	default:
		err = fmt.Errorf("neither a heap profile nor a CPU profile: its sample types are %s; leave it out", strings.Join(types, ", "))
	}
	if err != nil {
		return digest{err: fmt.Errorf("%s: %w", s.name, err)}
	}
	if is := got.kind(); s.kind != Any && s.kind != is {
		if s.from != "" {
			return digest{from: s.from, asked: s.kind, skipped: true}
		}
		return digest{err: fmt.Errorf("%s: a %s profile was passed as a %s profile; pass it with %s", s.name, is, s.kind, is.flag())}
	}
	if d.o.Tree != nil {
		got.check(d.o.Tree)
	}
	return got
}

// check looks up the places of a profile in the source, and counts the missing ones. Advice about
// the lines of a different version would name the wrong code, so fleet warns about profiles with
// too many missing places. Each place is counted once, regardless of its cost.
func (d *digest) check(t *Tree) {
	seen := map[site.Place]bool{}
	look := func(k profiles.Key) {
		if seen[k.Place] {
			return
		}
		seen[k.Place] = true
		has, known := t.Has(k.Place)
		if !known {
			return
		}
		d.checked++
		if !has {
			if d.missed == 0 {
				d.example = k.Place
			}
			d.missed++
		}
	}
	if d.heap != nil {
		for k := range d.heap.Sites {
			look(k)
		}
	}
	if d.cpu != nil {
		for k := range d.cpu.Malloc {
			look(k)
		}
	}
}
