package fleet

import (
	"context"
	"fmt"
	"slices"
)

// A Kind is what a source is read for.
type Kind string

// The kinds.
const (
	Any  Kind = ""
	Heap Kind = "heap"
	CPU  Kind = "CPU"
)

// A Name is a file, a folder or a URL, and what it is read for. A file and an address of one
// profile must be of the kind. Of a folder the files of other kinds are left out; of a server only
// the kind is asked for.
type Name struct {
	Name string
	Kind Kind
}

// namesOf are names of a kind.
func namesOf(kind Kind, names []string) []Name {
	all := make([]Name, 0, len(names))
	for _, n := range names {
		all = append(all, Name{n, kind})
	}
	return all
}

// Named are heap profiles and CPU profiles. A name that is given twice counts once.
func Named(heap, cpu []string) []Name {
	var all []Name
	for _, n := range slices.Concat(namesOf(Heap, heap), namesOf(CPU, cpu)) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// kind is that of a profile.
func (d *digest) kind() Kind {
	if d.heap != nil {
		return Heap
	}
	return CPU
}

// sources lists the sources of all names. What cannot be listed is counted as bad.
func (o *Options) sources(ctx context.Context, names []Name, r *Result) (all []source) {
	for _, n := range names {
		found, err := o.expand(ctx, n.Name, n.Kind)
		if err != nil {
			r.bad(err)
		}
		for _, s := range found {
			s.kind = n.Kind
			all = append(all, s)
		}
	}
	return all
}

// missing says which folders have no profile of the kind that they were named for, as skipped and
// read count them.
func (r *Result) missing(names []Name, skipped, read map[Name]int) {
	for _, n := range names {
		if skipped[n] > 0 && read[n] == 0 {
			r.bad(fmt.Errorf("%s: a folder without %s profiles, and %d of another kind; use the flag for its kind", n.Name, n.Kind, skipped[n]))
		}
	}
}
