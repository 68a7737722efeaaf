package builds

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// mostTags is the maximum number of tags that two files may have: all combinations of these tags
// are tried.
const mostTags = 8

// A pair is a file that is left out, and another file that an edit may change, or nil.
type pair struct {
	left, beside *class
	changes      bool // the file that is left out is in a package that changes
}

// cover returns at most r.most configurations that include the files that are left out, each
// together with each file beside it if a build can have both. It also returns the pairs that would
// require more configurations. The cover is greedy: of the closest possible configurations, it
// selects the one with the largest gain first.
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
			if len(nearest) == 0 && e == nil { // no build takes the file at all
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
// importance: files of packages that change, other files, pairs with files of packages that change,
// and other pairs.
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
// fewest settings. It returns none if the pair requires a setting that cannot be chosen, or
// contradicts itself.
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
	const mostMachine = 4 // system, processor, feature level and cgo may differ
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

// machines returns the present configuration on each platform, with and without cgo, and with each
// feature level of its processors if a file depends on it.
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

// flip toggles some of the tags. Each bit of flips stands for a tag; the tags whose bits are set
// are toggled.
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

// noBuild is the reason for a file that no build can include, such as a program with the tag
// ignore.
const noBuild = "no build includes it"

// why returns the reason that no configuration includes a file of a class, or that none includes it
// together with some file beside it. It returns "" if neither is the case.
func (r *rules) why(file *class, open []pair) string {
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
