package fleet

import (
	"context"
	"fmt"
	"slices"
)

// A Kind is the kind of profile to read from a source.
type Kind string

// The kinds.
const (
	Any  Kind = ""
	Heap Kind = "heap"
	CPU  Kind = "CPU"
)

// flag returns the flag for sources of this kind, which must be Heap or CPU.
func (k Kind) flag() string {
	if k == CPU {
		return "-cpuprofile"
	}
	return "-heap"
}

// A Name is a file, a folder or a URL, and the kind of profile to read. A file, or the URL of a
// single profile, must be of that kind. In a folder, files of other kinds are skipped; a server
// is asked for that kind only.
type Name struct {
	Name string
	Kind Kind
}

// namesOf returns the names, each with the given kind.
func namesOf(kind Kind, names []string) []Name {
	all := make([]Name, 0, len(names))
	for _, n := range names {
		all = append(all, Name{n, kind})
	}
	return all
}

// Named returns the names of heap profiles and CPU profiles. A name that is given twice is included
// once.
func Named(heap, cpu []string) []Name {
	var all []Name
	for _, n := range slices.Concat(namesOf(Heap, heap), namesOf(CPU, cpu)) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// kind returns the kind of a profile.
func (d *digest) kind() Kind {
	if d.heap != nil {
		return Heap
	}
	return CPU
}

// sources lists the sources that the names stand for. A name that cannot be listed is recorded as
// bad.
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

// missing records as bad each folder that contains no profile of the requested kind. skipped and
// read are the numbers of profiles that were skipped and read in each folder.
func (r *Result) missing(names []Name, skipped, read map[Name]int) {
	for _, n := range names {
		if skipped[n] > 0 && read[n] == 0 {
			other := CPU
			if n.Kind == CPU {
				other = Heap
			}
			r.bad(fmt.Errorf("%s: no %s profiles, only %s profiles (%d); pass the folder with %s", n.Name, n.Kind, other, skipped[n], other.flag()))
		}
	}
}
