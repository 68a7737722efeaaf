package builds

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// mostTags is the maximum number of tags in the constraints of a pair. It is small because all
// combinations of the tags are tried.
const mostTags = 8

// A pair consists of a file that the current build leaves out and a second file that should be in
// the same build. The second file is a file that an edit may change, or nil.
type pair struct {
	left, beside *class
	changes      bool // the left-out file is in a package that changes
}

// cover selects at most r.most configurations that include the left-out files, each together with
// every file in beside if some build can include both. It also returns the pairs that would require
// more configurations. The algorithm is greedy: in each step it selects, from the configurations
// closest to the current build, the one with the largest gain.
func (r *rules) cover(left []*File, beside []*class) (all []Config, open []pair) {
	var possible []Config
	known := map[string]bool{}
	for _, file := range left {
		for _, e := range append([]*class{nil}, beside...) {
			p := pair{file.class, e, file.Changes}
			if slices.Contains(open, p) {
				continue
			}
			nearest := r.nearest(p)
			if len(nearest) == 0 && e == nil { // no build includes the file at all
				break
			}
			if len(nearest) == 0 {
				continue
			}
			open = append(open, p)
			for _, c := range nearest {
				if !known[c.String()] {
					known[c.String()] = true
					possible = append(possible, c)
				}
			}
		}
	}
	slices.SortStableFunc(possible, func(a, b Config) int { return cmp.Compare(r.distance(a), r.distance(b)) })
	for len(open) > 0 && len(all) < r.most {
		best, most := possible[0], gain{}
		for _, c := range possible {
			if g := r.gain(c, open); slices.Compare(g[:], most[:]) > 0 {
				best, most = c, g
			}
		}
		all = append(all, best)
		open = slices.DeleteFunc(open, func(p pair) bool { return r.takesPair(best, p) })
	}
	return all, open
}

// A gain counts the open pairs that a configuration includes. The counts are in order of
// importance: left-out files of packages that change, other left-out files, pairs with a left-out
// file of a package that changes, and other pairs.
type gain [4]int

func (r *rules) gain(c Config, open []pair) (g gain) {
	for _, p := range open {
		kind := 0
		if p.beside != nil {
			kind += 2
		}
		if !p.changes {
			kind++
		}
		if r.takesPair(c, p) {
			g[kind]++
		}
	}
	return g
}

func (r *rules) takesPair(c Config, p pair) bool {
	return r.takes(c, p.left) && (p.beside == nil || r.takes(c, p.beside))
}

// distance returns the number of settings in which a configuration differs from the current build.
func (r *rules) distance(c Config) (n int) {
	for _, differs := range []bool{c.GOOS != r.present.GOOS, c.GOARCH != r.present.GOARCH, c.Cgo != r.present.Cgo} {
		if differs {
			n++
		}
	}
	for _, tag := range c.Tags {
		if !slices.Contains(r.present.Tags, tag) {
			n++
		}
	}
	for _, tag := range r.present.Tags {
		if !slices.Contains(c.Tags, tag) {
			n++
		}
	}
	if c.Level != "" {
		n++
	}
	return n + len(c.Experiments)
}

// nearest returns the configurations that include a pair and differ from the current build in the
// fewest settings. The result is empty if the constraints of the pair contradict each other,
// require a setting that cannot be chosen, or have more than mostTags tags.
func (r *rules) nearest(p pair) (all []Config) {
	classes := []*class{p.left}
	if p.beside != nil {
		classes = append(classes, p.beside)
	}
	tags := r.free(classes...)
	if len(tags) > mostTags {
		return nil
	}
	machines := r.machines()
	const mostMachine = 4 // operating system, architecture, feature level and cgo
	for distance := range mostMachine + len(tags) + 1 {
		for flips := range 1 << len(tags) {
			n := bits.OnesCount(uint(flips))
			for _, machine := range machines {
				if n+r.distance(machine) != distance {
					continue
				}
				if c := r.flip(machine, tags, flips); r.takesPair(c, p) {
					all = append(all, c)
				}
			}
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// machines returns the present configuration for each platform, with and without cgo. For an
// architecture whose feature levels files depend on, the result also contains a configuration for
// each level.
func (r *rules) machines() (all []Config) {
	for _, p := range r.platforms {
		for _, cgo := range []bool{false, true} {
			if cgo && !p.CgoSupported {
				continue
			}
			c := r.present
			c.GOOS, c.GOARCH, c.Cgo = p.GOOS, p.GOARCH, cgo
			all = append(all, c)
			for _, l := range r.levels[p.GOARCH] {
				if c.Level = l.setting; c.Level != "" {
					all = append(all, c)
				}
			}
		}
	}
	return all
}

// flip returns a configuration in which some of the tags are toggled: tags[i] is toggled if bit i
// of flips is set.
func (r *rules) flip(c Config, tags []string, flips int) Config {
	c.Tags = slices.Clone(c.Tags)
	for i, tag := range tags {
		if flips>>i&1 == 0 {
			continue
		}
		if name, ok := cutExperiment(tag); ok {
			if slices.Contains(r.context.ToolTags, tag) {
				name = "no" + name
			}
			c.Experiments = append(slices.Clone(c.Experiments), name)
			continue
		}
		if at, ok := slices.BinarySearch(c.Tags, tag); ok {
			c.Tags = slices.Delete(c.Tags, at, at+1)
		} else {
			c.Tags = slices.Insert(c.Tags, at, tag)
		}
	}
	return c
}

// noBuild is the value of File.Why for a file that no build can include, such as a program with the
// tag ignore.
const noBuild = "no build includes it"

// explain explains why no configuration includes the files of a class, or why one of their pairs is
// still open. It returns "" if neither is the case.
func (r *rules) explain(file *class, open []pair) string {
	switch {
	case len(r.free(file)) > mostTags:
		return "its build constraint has too many tags to try them all"
	case slices.ContainsFunc(open, func(p pair) bool { return p.left == file }):
		return fmt.Sprintf("it would take more than %d configurations", r.most)
	case len(r.nearest(pair{left: file})) == 0:
		return noBuild
	}
	return ""
}
