package prove

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/meter"
)

// These constants limit the operations whose results are hashed: keptTime is the maximum time of
// the operations, without the hashing, and mostKept is their maximum number.
const (
	keptTime = 50 * time.Millisecond
	mostKept = 1000
)

// compareResults compares the results of a package's benchmarks, and records the differences in e.
func compareResults(ctx context.Context, base, head *gobench.Tree, path string, all []*gobench.Benchmark, e *Equality) error {
	if base.Plain || head.Plain {
		e.Left = append(e.Left, "the results of "+path+", without a meter")
		return nil
	}
	before, err := base.Keeper(ctx, path)
	var after *gobench.Keeper
	if err == nil {
		after, err = head.Keeper(ctx, path)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		e.Left = append(e.Left, fmt.Sprintf("the results of %s: %v", path, err))
		return nil
	}
	if before == nil || after == nil {
		e.Left = append(e.Left, "the benchmarks of "+path+" compute nothing that can be kept")
		return nil
	}
	for _, b := range all {
		if b.Package != path {
			continue
		}
		if err := compareKept(ctx, before, after, b, e); err != nil {
			return err
		}
	}
	return nil
}

// compareKept compares the results of one benchmark.
//
// The base runs twice. If the result at a site differs between these two runs, for example because
// it contains a time or depends on the order of a map, the site cannot be compared with the head
// and is left out. Each remaining difference in the head is a difference between the programs. All
// runs do the same number of operations, because the hash covers all of them.
func compareKept(ctx context.Context, before, after *gobench.Keeper, b *gobench.Benchmark, e *Equality) error {
	n := max(1, min(b.N, mostKept, int(keptTime.Seconds()/max(b.First, 1e-9))))
	was, err := before.Results(ctx, b, n, nil)
	if err != nil {
		return err
	}
	now, err := after.Results(ctx, b, n, nil)
	if err != nil {
		return err
	}
	// A field that only one of the trees has may be an allocator, which is not part of the result.
	skip := changedFields(was, now)
	if len(skip) > 0 {
		if was, err = before.Results(ctx, b, n, skip); err != nil {
			return err
		}
		if now, err = after.Results(ctx, b, n, skip); err != nil {
			return err
		}
	}
	again, err := before.Results(ctx, b, n, skip)
	if err != nil {
		return err
	}
	paired := ""
	if before.Alias.Own != "" {
		paired = pairRest(was, again, now)
	}
	var sites, unequal, unstable []string
	values := uint64(0)
	for _, site := range slices.Sorted(maps.Keys(was)) {
		other, both := now[site]
		switch {
		case !both:
			e.Left = append(e.Left, "no such result in "+after.Name+": "+site)
		case was[site].Hash != again[site].Hash:
			unstable = append(unstable, quoteSite(site))
		case was[site].Hash != other.Hash && site == paired: // these results may differ on purpose
			e.Left = append(e.Left, fmt.Sprintf("%s: %s have different hashes; pass what must be equal to benchresult.Keep", b.Label(), site))
		case was[site].Hash != other.Hash:
			unequal = append(unequal, site)
		case was[site].Values > 0:
			sites = append(sites, quoteSite(site))
			values += was[site].Values
		}
	}
	e.differ += len(unequal)
	for _, site := range unequal {
		e.Unequal = append(e.Unequal, fmt.Sprintf("%s: the results of %s differ (hash %s, now %s)", b.Label(), quoteSite(site), was[site].Hash, now[site].Hash))
	}
	if len(unstable) > 0 {
		e.Left = append(e.Left, fmt.Sprintf("%s: not the same from run to run in %s: %s", b.Label(), before.Name, joinFirst(unstable)))
	}
	if len(skip) > 0 {
		e.Left = append(e.Left, fmt.Sprintf("%s: fields that only one of the trees has: %s", b.Label(), joinFirst(skip)))
	}
	if len(sites) > 0 {
		of := counted(len(sites), "result")
		if len(unequal) > 0 { // name the equal results
			of = "the results of " + joinFirst(sites)
		}
		e.raise(Results, fmt.Sprintf("%s: %d values of %s in %s", b.Label(), values, of, counted(n, "operation")))
	}
	return nil
}

// quoteSite returns a site without its function, which the name of the benchmark implies.
func quoteSite(site string) string {
	if _, expression, ok := strings.Cut(site, ": "); ok {
		return expression
	}
	return site
}

// changedFields returns the struct fields in the results that exist in only one of the trees. They
// are left out of the hashes and named in the report. Such a field is usually the new allocator,
// which does not affect users of the result.
func changedFields(was, now map[string]meter.Kept) []string {
	before, after := fieldsOf(was), fieldsOf(now)
	var changed []string
	for name, fields := range before {
		others, both := after[name]
		if !both {
			continue
		}
		for _, f := range fields {
			if !slices.Contains(others, f) {
				changed = append(changed, name+"."+f)
			}
		}
		for _, f := range others {
			if !slices.Contains(fields, f) {
				changed = append(changed, name+"."+f)
			}
		}
	}
	slices.Sort(changed)
	return changed
}

func fieldsOf(kept map[string]meter.Kept) map[string][]string {
	all := map[string][]string{}
	for _, k := range kept {
		maps.Copy(all, k.Fields)
	}
	return all
}
