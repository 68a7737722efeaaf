package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// Age compares the program sources of each contender's last run with the sources in the current
// tree, and describes the differences in r.Aged. The function today returns the hash of the current
// sources of a run's contender, or "" if the tree has none, and reports whether the contender is
// declared. A contender that has no sources now and had none when it ran, such as a system program,
// is not mentioned. Any other run without a hash dates from before hashes were recorded, so its
// sources are unknown.
func (r *Report) Age(sessions []record.Session, today func(record.Run) (hash string, declared bool)) {
	last := map[string]record.Run{}
	var names []string
	for _, s := range oldestFirst(sessions) {
		for _, run := range s.Runs {
			if run.Experiment != r.Experiment.Name || !run.Counts() {
				continue
			}
			if _, known := last[run.Contender]; !known {
				names = append(names, run.Contender)
			}
			last[run.Contender] = run
		}
	}
	slices.Sort(names)
	var older, unknown []string
	for _, name := range names {
		run := last[name]
		switch hash, declared := today(run); {
		case run.Sources == "" && hash == "" && declared:
		case run.Sources == "":
			unknown = append(unknown, code(name))
		case run.Sources != hash:
			older = append(older, code(name))
		}
	}
	var all []string
	for _, kind := range []struct {
		what  string
		names []string
	}{{"Sources changed since the measurement", older}, {"Sources unknown, or changed since the measurement", unknown}} {
		switch {
		case len(kind.names) == 0:
		case len(kind.names) == len(names) && len(names) > 1:
			all = append(all, fmt.Sprintf("%s: all %d contenders.", kind.what, len(names)))
		default:
			all = append(all, fmt.Sprintf("%s: %s.", kind.what, list(kind.names, 3)))
		}
	}
	r.Aged = strings.Join(all, " ")
}
