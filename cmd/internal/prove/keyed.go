package prove

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A Key selects benchmarks of one tree that are compared with each other. Their names differ in one
// element only, as in BenchmarkX/impl=old and BenchmarkX/impl=new. docs/decisions/0054 gives the
// reasons.
type Key struct {
	Name   string   // such as impl in impl=old; empty if elements have no key, as in BenchmarkX/old or BenchmarkOld
	Values []string // value of the base, then of the heads; empty if no such comparison is made
}

func (k Key) isSet() bool { return len(k.Values) > 0 }

// element returns the element of a benchmark's name for the given value, such as impl=old.
func (k Key) element(value string) string {
	if k.Name == "" {
		return value
	}
	return k.Name + "=" + value
}

// elements returns the elements for all values.
func (k Key) elements() (all []string) {
	for _, v := range k.Values {
		all = append(all, k.element(v))
	}
	return all
}

// alias returns the Alias that translates between the general name of a benchmark and its name for
// the given value.
func (k Key) alias(value string) gobench.Alias {
	return gobench.Alias{Any: k.element("*"), Own: k.element(value)}
}

// notFound returns the error for the case that no benchmark exists for all values.
func (k Key) notFound(pattern string) error {
	return fmt.Errorf("no benchmark that matches -bench %s exists with each of %s", pattern, strings.Join(k.elements(), ", "))
}

// oneTree creates the tree whose benchmarks are compared with each other.
func (p *proof) oneTree(ctx context.Context, here trees.Tree) (err error) {
	if p.Head != "" {
		if here, err = trees.In(ctx, p.Head); err != nil {
			return err
		}
	}
	tree, err := p.copied(ctx, here, "head")
	p.trees = append(p.trees, tree)
	return err
}

// fanOut creates a side for each value of the key. All sides share the binaries that were built
// from the one tree.
func (p *proof) fanOut() {
	if !p.Key.isSet() {
		return
	}
	built := p.sides[0]
	p.sides = nil
	for _, value := range p.Key.Values {
		side := *built
		side.Name, side.Alias = p.Key.element(value), p.Key.alias(value)
		p.sides = append(p.sides, &side)
	}
}

// programOf returns the name under which a package of a tree is measured.
func programOf(a *gobench.Tree, path string) string {
	if a.Alias.Own == "" {
		return path
	}
	return path + " " + a.Alias.Own
}

// findKeyed finds the benchmarks of a package that exist for all values.
func (p *proof) findKeyed(ctx context.Context, path string) error {
	p.Show.Stage("looking at " + path)
	found, err := p.sides[0].Find(ctx, path, p.Bench)
	if err != nil {
		return err
	}
	common, missing := p.Key.common(found)
	p.result.Warnings = append(p.result.Warnings, missing...)
	p.add(common)
	return nil
}

// common returns the benchmarks that exist for all values, under their general names. For each
// benchmark that exists for some values only, missing contains a message that names the first value
// without the benchmark.
func (k Key) common(found []gobench.Benchmark) (common []gobench.Benchmark, missing []string) {
	for _, b := range found {
		general, ok := k.general(b.Name)
		if !ok {
			continue
		}
		ofBase := b.Name == k.alias(k.Values[0]).Special(general)
		b.Name = general
		lacks := slices.DeleteFunc(slices.Clone(k.Values), func(value string) bool {
			name := k.alias(value).Special(general)
			return slices.ContainsFunc(found, func(f gobench.Benchmark) bool { return f.Name == name && f.Procs == b.Procs })
		})
		switch {
		case len(lacks) > 0:
			text := fmt.Sprintf("%s has no %s; it is left out", general, k.element(lacks[0]))
			if !slices.Contains(missing, text) {
				missing = append(missing, text)
			}
		case ofBase:
			common = append(common, b)
		}
	}
	return common, missing
}

// general returns the name of a benchmark without the element for one of the values. ok is false if
// the name contains no such element.
func (k Key) general(name string) (general string, ok bool) {
	for _, value := range k.Values {
		if general, ok := k.alias(value).General(name); ok {
			return general, true
		}
	}
	return "", false
}

// add adds benchmarks to the comparison.
func (p *proof) add(found []gobench.Benchmark) {
	for _, b := range found {
		if p.Procs > 0 {
			b.Procs = p.Procs
		}
		p.all = append(p.all, &b)
	}
}

// pairRest gives a common name to the result that only the base has and the result that only the
// head has, such as the results of Old(10) and New(10), so that the two are compared. It returns
// this name. If either side does not have exactly one such result, pairRest changes nothing and
// returns "".
func pairRest(was, again, now map[string]meter.Kept) (name string) {
	mine, theirs := lacking(was, now), lacking(now, was)
	if len(mine) != 1 || len(theirs) != 1 {
		return ""
	}
	name = quoteSite(mine[0]) + " and " + quoteSite(theirs[0])
	was[name], again[name], now[name] = was[mine[0]], again[mine[0]], now[theirs[0]]
	delete(was, mine[0])
	delete(again, mine[0])
	delete(now, theirs[0])
	return name
}

// lacking returns the sites in kept that are not in other.
func lacking(kept, other map[string]meter.Kept) (sites []string) {
	for site := range kept {
		if _, both := other[site]; !both {
			sites = append(sites, site)
		}
	}
	return sites
}
