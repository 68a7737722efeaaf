package prove

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/gobench"
)

// A vetted line is a complaint of go vet.
type vetted struct {
	posn, message string
}

// compareVet returns a Trouble if go vet complains about the changed packages of the head, and does not about those of the base. Lines
// move, so complaints are told apart by their files and texts, and counted.
func (p *proof) compareVet(ctx context.Context) error {
	p.Show.Stage("go vet")
	before, err := vet(ctx, p.sides[0], p.Changed)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.result.Warnings = append(p.result.Warnings, "go vet was not compared: "+err.Error())
		return nil
	}
	for _, head := range p.sides[1:] {
		after, err := vet(ctx, head, p.Changed)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return &Trouble{Line: "go vet: " + err.Error()}
		}
		known := map[string]int{}
		for _, c := range before {
			known[c.key()]++
		}
		for _, c := range after {
			if known[c.key()]--; known[c.key()] < 0 {
				return &Trouble{Line: fmt.Sprintf("go vet: %s: %s", filepath.Base(c.posn), c.message)}
			}
		}
	}
	return nil
}

// numbers of lines and columns stand behind names of files, in messages too.
var numbers = regexp.MustCompile(`:\d+(:\d+)?`)

func (c vetted) key() string {
	return filepath.Base(numbers.ReplaceAllString(c.posn, "")) + ": " + numbers.ReplaceAllString(c.message, "")
}

// vet returns the complaints about packages and their tests, each once.
func vet(ctx context.Context, a *gobench.Tree, paths []string) ([]vetted, error) {
	cmd := a.Command(ctx, append([]string{"vet", "-json"}, paths...)...)
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
	type complaint struct{ Posn, Message string }
	reports, err := gobench.Decode[map[string]map[string]json.RawMessage]([]byte(text.String()))
	if err != nil {
		return nil, err
	}
	var all []vetted
	for _, report := range reports {
		for _, analyzers := range report {
			for _, raw := range analyzers {
				var some []complaint // or an error of the analyzer itself
				if json.Unmarshal(raw, &some) != nil {
					continue
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
