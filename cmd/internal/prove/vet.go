package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

// A vetted is a finding of go vet.
type vetted struct {
	posn, message string
}

// compareVet runs go vet on the changed packages. It returns a Trouble if the head has findings
// that the base does not have, or if go vet cannot analyze one of the two trees. Findings that the
// base also has are ignored. Because an edit moves lines, a finding is identified by its file and
// by its text without line numbers. Findings with the same identity are counted, because a change
// may add a second one.
func (p *proof) compareVet(ctx context.Context) error {
	p.Show.Stage("go vet")
	known := map[string]int{}
	for i, side := range p.sides {
		all, err := vet(ctx, side, p.Changed)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return &Trouble{Line: "go vet: " + err.Error()}
		}
		if i == 0 {
			for _, c := range all {
				known[c.key()]++
			}
			continue
		}
		left := maps.Clone(known)
		for _, c := range all {
			if left[c.key()]--; left[c.key()] < 0 {
				return &Trouble{Line: fmt.Sprintf("go vet: %s: %s", filepath.Base(c.posn), c.message)}
			}
		}
	}
	return nil
}

// numbers matches the line and column numbers that follow file names, including those in messages.
var numbers = regexp.MustCompile(`:\d+(:\d+)?`)

func (c vetted) key() string {
	return filepath.Base(numbers.ReplaceAllString(c.posn, "")) + ": " + numbers.ReplaceAllString(c.message, "")
}

// vet returns the findings in the packages and their tests, without duplicates.
func vet(ctx context.Context, a *gobench.Tree, paths []string) ([]vetted, error) {
	packages, err := a.List(ctx, paths...)
	if err != nil {
		return nil, err
	}
	want := 0 // expected reports: one for a package with its internal tests, one for its external tests
	for _, p := range packages {
		if len(p.GoFiles)+len(p.CgoFiles)+len(p.TestGoFiles) > 0 {
			want++
		}
		if len(p.XTestGoFiles) > 0 {
			want++
		}
	}
	reports, err := vetReports(ctx, a, paths)
	if err == nil && len(reports) < want {
		// The go command keeps reports in its cache. If a report was deleted there, the command
		// prints nothing. The flag -a makes it analyze the packages again.
		reports, err = vetReports(ctx, a, append([]string{"-a"}, paths...))
	}
	switch {
	case err != nil:
		return nil, err
	case len(reports) < want:
		return nil, fmt.Errorf("it reports on %d of %d packages and tests", len(reports), want)
	}
	type complaint struct{ Posn, Message string }
	var all []vetted
	for _, report := range reports {
		for path, analyzers := range report {
			for name, raw := range analyzers {
				var some []complaint
				if json.Unmarshal(raw, &some) != nil { // the analyzer itself failed
					all = append(all, vetted{path, name + ": " + string(raw)})
				}
				for _, c := range some {
					all = append(all, vetted{c.Posn, c.Message})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b vetted) int { return cmp.Or(cmp.Compare(a.posn, b.posn), cmp.Compare(a.message, b.message)) })
	return slices.Compact(all), nil // a package is vetted with and without its tests
}

// vetReports runs go vet and returns its reports. A report contains the findings of each analyzer
// for each package. Without findings, it is empty.
func vetReports(ctx context.Context, a *gobench.Tree, args []string) ([]map[string]map[string]json.RawMessage, error) {
	cmd := a.Command(ctx, append([]string{"vet", "-json"}, args...)...)
	out, err := cmd.CombinedOutput() // older versions of Go print to standard error
	if err != nil {
		return nil, errors.New(gobench.Complaint(out, err))
	}
	var text strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: ") {
			text.WriteString(line)
		}
	}
	return gobench.Decode[map[string]map[string]json.RawMessage]([]byte(text.String()))
}
