package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/compare"
	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// Outputs returns warnings about contenders whose output differs from the output of other
// contenders of the same group and depth in a session, or changes from round to round. It returns
// none if the experiment has an expected output, because runs with a different output have failed
// anyway.
func Outputs(e experiment.Experiment, sessions []record.Session) (all []string) {
	if len(e.Expected) > 0 {
		return nil
	}
	for _, s := range sessions {
		printed := map[answer]map[string][]string{} // for each answer, the outputs by contender
		for _, r := range s.Runs {
			if r.Experiment != e.Name || !r.Counts() || r.Output == "" {
				continue
			}
			p := answer{e.GroupOf(r.Contender), r.Depth}
			if printed[p] == nil {
				printed[p] = map[string][]string{}
			}
			name := Name(compare.Row{Contender: r.Contender, Workers: r.Workers})
			if outputs := printed[p][name]; !slices.Contains(outputs, r.Output) {
				printed[p][name] = append(outputs, r.Output)
			}
		}
		for _, p := range sortedKeys(printed) {
			for _, text := range differences(p, printed[p]) {
				if !slices.Contains(all, text) {
					all = append(all, text)
				}
			}
		}
	}
	return all
}

// An answer identifies the group and the depth of contenders that must print the same output.
type answer struct {
	group string
	depth int
}

func sortedKeys(printed map[answer]map[string][]string) (all []answer) {
	for p := range printed {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b answer) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.depth, b.depth)) })
	return all
}

// differences returns warnings about the contenders whose outputs differ or change. printed
// contains the distinct outputs of each contender.
func differences(p answer, printed map[string][]string) (all []string) {
	same := map[string][]string{} // contenders by their only output
	var unsteady []string
	for name, outputs := range printed {
		if len(outputs) > 1 {
			unsteady = append(unsteady, name)
			continue
		}
		same[outputs[0]] = append(same[outputs[0]], name)
	}
	where := ""
	if p.group != "" {
		where = " of " + p.group
	}
	if p.depth > 0 {
		where += fmt.Sprintf(" at depth %d", p.depth)
	}
	if len(same) > 1 {
		var sides [][]string
		sides = slices.Grow(sides, len(same))
		for _, names := range same {
			slices.Sort(names)
			sides = append(sides, names)
		}
		slices.SortFunc(sides, func(a, b []string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a[0], b[0])) })
		var texts []string
		texts = slices.Grow(texts, len(sides))
		for _, names := range sides {
			texts = append(texts, list(names, 3))
		}
		all = append(all, fmt.Sprintf("outputs%s differ, and no expected command says which is right (expected = [...] in contenders.toml): %s", where, strings.Join(texts, "; else ")))
	}
	if len(unsteady) > 0 {
		slices.Sort(unsteady)
		all = append(all, fmt.Sprintf("the output%s differs from round to round, so it proves no work: %s", where, list(unsteady, 3)))
	}
	return all
}
