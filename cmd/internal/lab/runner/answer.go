package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/process"
)

// answer contains the expected output of a contender, and the minimum numbers of bytes that the
// work allocates, by name.
type answer struct {
	output []byte
	least  map[string]float64
}

// answers runs the command that prints the correct answer. If the command contains {group}, it runs
// once for each group of the contenders, and otherwise only once.
func (p Plan) answers(ctx context.Context, x Executor) (map[string]answer, error) {
	all := map[string]answer{}
	for _, c := range p.Contenders {
		group := p.answerOf(c)
		if _, known := all[group]; known {
			continue
		}
		a, err := p.answer(ctx, x, group)
		if err != nil {
			return nil, err
		}
		all[group] = a
	}
	return all, nil
}

// answerOf returns the group whose answer a contender must print. It returns "" if all groups have
// the same answer.
func (p Plan) answerOf(c experiment.Contender) string {
	if experiment.Uses(p.Experiment.Expected, experiment.Group) {
		return c.Group
	}
	return ""
}

func (p Plan) answer(ctx context.Context, x Executor, group string) (answer, error) {
	a := answer{least: map[string]float64{}}
	if len(p.Experiment.Expected) == 0 {
		return a, nil
	}
	args := p.fill(p.Experiment.Expected, map[string]string{experiment.Group: group})
	out, err := process.Succeed(ctx, x, process.Command{Args: args, Timeout: p.timeout()})
	if err != nil {
		return a, fmt.Errorf("computing the expected output of %s: %w", strings.TrimSpace(p.Experiment.Name+" "+group), err)
	}
	a.output = append([]byte{}, out.Stdout...) // not nil, because empty output is an answer too
	for line := range strings.Lines(string(out.Stderr)) {
		var name string
		var bytes float64
		if n, _ := fmt.Sscanf(line, "least %s %g", &name, &bytes); n == 2 {
			a.least[name] = bytes
		}
	}
	return a, nil
}
