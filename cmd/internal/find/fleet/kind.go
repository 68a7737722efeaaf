package fleet

import (
	"context"
	"fmt"
	"slices"
)

// A Kind selects which profiles to read from a source: heap profiles, CPU profiles or both.
type Kind string

// The kinds of profiles. Any stands for both.
const (
	Any  Kind = ""
	Heap Kind = "heap"
	CPU  Kind = "CPU"
)

// flag returns the command-line flag for profiles of this kind, which must be Heap or CPU.
func (k Kind) flag() string {
	if k == CPU {
		return "-cpuprofile"
	}
	return "-heap"
}

// A Name names a file, a folder or a URL, and the kind of profile to read from it. A file, or the
// URL of a single profile, must be of that kind. In a folder, profiles of other kinds are skipped.
// A server is asked only for profiles of that kind.
type Name struct {
	Name string
	Kind Kind
}

// namesOf returns a Name of the given kind for each name.
func namesOf(kind Kind, names []string) []Name {
	all := make([]Name, 0, len(names))
	for _, n := range names {
		all = append(all, Name{n, kind})
	}
	return all
}

// Named returns a Name for each heap profile and each CPU profile, without duplicates.
func Named(heap, cpu []string) []Name {
	var all []Name
	for _, n := range slices.Concat(namesOf(Heap, heap), namesOf(CPU, cpu)) {
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return all
}

// kind returns the kind of the profile from which a digest was created.
func (d *digest) kind() Kind {
	if d.heap != nil {
		return Heap
	}
	return CPU
}

// sources returns the sources for the given names. If it cannot list the sources for a name, it
// records that name as bad.
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
// read count the profiles that were skipped and read in each folder.
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
