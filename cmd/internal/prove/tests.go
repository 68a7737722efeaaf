package prove

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// A test identifies a test of a package. An empty name stands for the package as a whole.
type test struct{ pkg, name string }

func (t test) String() string {
	if t.name == "" {
		return t.pkg
	}
	return t.pkg + "." + t.name
}

// raced is the outcome of a test in which the race detector found a race. One race is enough,
// because the detector reports no false ones.
const raced = "data race"

// outcomes runs the tests of packages, and returns the outcomes of each test: pass, fail, skip or
// raced. It reads the events of -json instead of the exit code, because the base may have failing
// tests too, and because the comparison needs each test. The flag -vet=off avoids an analysis that
// compareVet does separately.
func outcomes(ctx context.Context, a *gobench.Tree, flags []string, paths []string) (map[test][]string, error) {
	cmd := a.Command(ctx, append(append([]string{"test", "-json", "-vet=off"}, flags...), paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := process.Output(cmd) // err is not nil even if only a test fails
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	events, e := gobench.Decode[struct{ Action, Package, Test, Output string }](out)
	if e != nil {
		return nil, fmt.Errorf("go test in %s: %w", a.Name, e)
	}
	all := map[test][]string{}
	races := map[test]bool{} // running tests in which a data race was detected
	for _, e := range events {
		t := test{e.Package, e.Test}
		switch e.Action {
		case "output":
			races[t] = races[t] || t.name != "" && strings.Contains(e.Output, "race detected during execution of test")
		case "pass", "skip":
			all[t] = append(all[t], e.Action)
		case "fail":
			if races[t] {
				e.Action = raced
			}
			all[t] = append(all[t], e.Action)
			delete(races, t)
		}
	}
	if len(all) == 0 && err != nil {
		return nil, fmt.Errorf("go test in %s: %s", a.Name, gobench.Complaint(stderr.Bytes(), err))
	}
	return all, nil
}

// repeats is the number of additional runs of a test whose outcomes differ. A test that fails at
// random in half of its runs is mistaken for a difference in one of two thousand cases: all 6 runs
// of one side must fail and all 6 runs of the other side must pass, which has a probability of
// 2/2^12.
const repeats = "5"

// compareTests runs the tests of both trees, and records the differences in e. The parameter kind
// describes the tests in messages. A test that fails in both trees is not a difference, because the
// check looks for effects of the change and not for errors in the program. A test that the head no
// longer has is only reported, because a change may remove a test on purpose.
func compareTests(ctx context.Context, base, head *gobench.Tree, kind string, flags, paths []string, e *Equality) error {
	once := append([]string{"-count=1"}, flags...)
	before, err := outcomes(ctx, base, once, paths)
	if err != nil {
		return err
	}
	after, err := outcomes(ctx, head, once, paths)
	if err != nil {
		return err
	}
	counts := map[string]int{}
	var differ []test
	var gone []string
	for t, was := range before {
		now := after[t]
		switch {
		case t.name == "":
			// A package fails if one of its tests fails. In this case the package fails although
			// none of its tests does.
			if was[0] != "fail" && now != nil && now[0] == "fail" && !failsInside(after, t.pkg) {
				e.Unequal = append(e.Unequal, t.pkg+" fails in "+head.Name+" outside its tests")
			}
		case now == nil:
			gone = append(gone, t.String())
		case was[0] != now[0]:
			differ = append(differ, t)
		default:
			counts[was[0]]++
		}
	}
	for t, now := range after {
		if before[t] == nil && t.name != "" && (now[0] == "fail" || now[0] == raced) {
			differ = append(differ, t)
		}
	}
	slices.SortFunc(differ, func(a, b test) int { return strings.Compare(a.String(), b.String()) })
	for _, t := range differ {
		if err := compareAgain(ctx, base, head, differing{t, before[t], after[t]}, flags, e); err != nil {
			return err
		}
	}
	if len(gone) > 0 {
		slices.Sort(gone)
		e.Left = append(e.Left, fmt.Sprintf("%s %s not in %s: %s", counted(len(gone), "test"), plural(len(gone), "is", "are"), head.Name, joinFirst(gone)))
	}
	if counts["pass"] == 0 {
		e.Left = append(e.Left, "none of the "+kind+" passes in both")
		return nil
	}
	done := fmt.Sprintf("%s of %s: %d pass", kind, counted(len(paths), "package"), counts["pass"])
	for _, how := range []string{"fail", raced, "skip"} {
		if counts[how] > 0 {
			done += fmt.Sprintf(", %d %s", counts[how], how)
		}
	}
	e.raise(Tests, done+" in both")
	return nil
}

// A differing is a test whose outcome differs between the base and the head.
type differing struct {
	test
	base, head []string // outcomes of the test, in the base and in the head
}

// compareAgain repeats a test whose outcomes differ, and records whether the reason is the program
// or chance. If the test does not always end in the same way on each side, it is flaky and decides
// nothing. Data races are an exception: the race detector reports no false ones, so one race in the
// head and none in the base is a difference.
func compareAgain(ctx context.Context, base, head *gobench.Tree, d differing, flags []string, e *Equality) error {
	t := d.test
	again := append([]string{"-count=" + repeats, "-run=" + gobench.Pattern(t.name)}, flags...)
	before, err := outcomes(ctx, base, again, []string{t.pkg})
	if err != nil {
		return err
	}
	after, err := outcomes(ctx, head, again, []string{t.pkg})
	if err != nil {
		return err
	}
	was, now := distinct(slices.Concat(d.base, before[t])), distinct(slices.Concat(d.head, after[t]))
	switch {
	case slices.Contains(now, raced) && !slices.Contains(was, raced):
		e.Unequal = append(e.Unequal, fmt.Sprintf("%s has a %s in %s, and fails", t, raced, head.Name))
	case len(was) > 1 || len(now) > 1 || slices.Equal(was, now):
		e.Left = append(e.Left, t.String()+" has different outcomes from run to run")
	case len(was) == 0:
		e.Unequal = append(e.Unequal, fmt.Sprintf("%s, which is new, ends with %s", t, strings.Join(now, "")))
	default:
		e.Unequal = append(e.Unequal, fmt.Sprintf("%s ends with %s, and in %s with %s", t, was[0], head.Name, joinFirst(now)))
	}
	return nil
}

func distinct(all []string) []string { return slices.Compact(slices.Sorted(slices.Values(all))) }

func failsInside(all map[test][]string, pkg string) bool {
	for t, how := range all {
		if t.pkg == pkg && t.name != "" && (slices.Contains(how, "fail") || slices.Contains(how, raced)) {
			return true
		}
	}
	return false
}

// readers are the packages with which a program reads Go source at run time. The result of such a
// program may depend on the changed packages even if it does not import them.
var readers = []string{"go/build", "go/importer", "go/parser", "go/scanner", "golang.org/x/tools/go/packages"}

// dependants returns the given paths, the paths of the packages in the tree that import one of
// them, and the paths of the packages that read Go source, because they may read the source of the
// given packages.
func dependants(ctx context.Context, a *gobench.Tree, paths []string) ([]string, error) {
	all, err := a.List(ctx, "./...")
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, path := range paths {
		found[path] = true
	}
	for _, p := range all {
		if p.Error != nil {
			continue
		}
		for _, imported := range slices.Concat(p.Deps, p.TestImports, p.XTestImports) {
			if slices.Contains(paths, imported) || slices.Contains(readers, imported) {
				found[p.ImportPath] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

// joinFirst joins the first few names into a string, for a message.
func joinFirst(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func counted(n int, what string) string { return fmt.Sprintf("%d %s", n, plural(n, what, what+"s")) }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
