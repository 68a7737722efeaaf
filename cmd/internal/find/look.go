package find

import (
	"context"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/fleet"
	"github.com/coppice-go/coppice/cmd/internal/gobench"
	"github.com/coppice-go/coppice/cmd/internal/trees"
)

// A Kind is the kind of code to analyze: a benchmark, tests or a program.
type Kind int

// The kinds of subjects, named after the functions that analyze them.
const (
	OfBenchmark Kind = iota
	OfTests
	OfProgram
)

// Look finds what Benchmark, Tests or Program would build, without building or running it. It
// returns the errors that they would return.
func Look(ctx context.Context, o Options, kind Kind) error {
	here, err := trees.Here(ctx, o.Dir)
	if err != nil {
		return err
	}
	t := &gobench.Tree{Tree: here}
	switch kind {
	case OfTests:
		_, err = o.tested(ctx, t)
	case OfProgram:
		_, err = o.program(ctx, t)
	default:
		err = o.packages(ctx, t)
	}
	return err
}

// LookAtProfiles checks the arguments of Profiles without analyzing anything. It reads the profiles
// that are stored on this machine, and finds their module. It fetches nothing over the network.
func LookAtProfiles(ctx context.Context, o Sources) error {
	if _, err := openSource(ctx, o.Dir); err != nil {
		return err
	}
	names := slices.DeleteFunc(fleet.Named(o.Heap, o.CPU), func(n fleet.Name) bool { return strings.Contains(n.Name, "://") })
	if len(names) == 0 {
		return nil
	}
	_, err := fleet.ReadNamed(ctx, names, o.Fleet)
	return err
}
