package fix

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/facts"
	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/remedy"
	"github.com/coppice-go/coppice/cmd/internal/remedy/attempt"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// planned is a step with its edits.
type planned struct {
	*Step
	edits edits.Set
}

// plan creates the changes and returns the steps to try. If a proposal cannot be carried out, plan
// adds it to the result as a step with the state Left.
//
// All edits apply to the original source. If each step changed the result of the previous step, the
// positions of later proposals would move. The files of a tree are therefore computed from the
// edits of all its steps together. Two edits of the same bytes are an error, and the later step is
// left out (docs/decisions/0022).
//
// The estimates determine the order of the steps, but they exclude none of them. A void estimate is
// not a measurement, and trying a step costs less than excluding it wrongly.
func (o *Options) plan(ctx context.Context, found *find.Result, r *Result) (steps []*planned, err error) {
	proposals, err := o.Chosen(found)
	if err != nil {
		return nil, err
	}
	w := o.planner(found)
	if err := w.refresh(ctx); err != nil {
		return nil, err
	}
	small := &planned{Step: &Step{Title: "small changes"}}
	for _, proposal := range proposals {
		var s *planned
		err := attempt.Carefully(func() (err error) {
			s, err = w.make(ctx, proposal)
			return err
		})
		var refused change.Refused
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.As(err, &refused):
			left, err := w.notTried(ctx, proposal, refused.Why)
			if err != nil {
				return nil, err
			}
			r.Steps = append(r.Steps, left)
		case err != nil:
			return nil, err
		case o.isSmall(proposal):
			if err := small.join(s); err != nil {
				s.State, s.Why = Left, err.Error()
				r.Steps = append(r.Steps, s.Step)
			}
		default:
			steps = append(steps, s)
		}
	}
	switch len(small.Proposals) {
	case 0:
		return steps, nil
	case 1:
		small.Title = small.Proposals[0].Title
	default:
		small.Title = fmt.Sprintf("%d small changes", len(small.Proposals))
	}
	return append(steps, small), nil
}

// isSmall reports whether a proposal alone may save too little to be proven. Small proposals are
// proven together, because together they may save enough. The disadvantage is that a small loss may
// hide among small gains.
func (o *Options) isSmall(p find.Proposal) bool { return p.Estimate.Hi < o.MinEffect }

// Chosen returns the proposals to try, sorted by their estimates: the ones that Only names or, if
// Only is empty, all proposals. It returns an error if Only contains an unknown ID.
func (o *Options) Chosen(found *find.Result) ([]find.Proposal, error) {
	for _, id := range o.Only {
		if !slices.ContainsFunc(found.Proposals, func(p find.Proposal) bool { return p.ID == id }) {
			return nil, fmt.Errorf("no proposal %s; coppice find -json lists the proposals", id)
		}
	}
	chosen := slices.Clone(found.Proposals)
	if len(o.Only) > 0 {
		chosen = slices.DeleteFunc(chosen, func(p find.Proposal) bool { return !slices.Contains(o.Only, p.ID) })
	}
	slices.SortStableFunc(chosen, byEstimate)
	return chosen, nil
}

// join adds the changes of another step to a step. If they do not fit together, it returns an error
// and leaves the step unchanged.
func (s *planned) join(other *planned) error {
	var all edits.Set // the step stays as it is if the edits do not fit
	for _, one := range []*edits.Set{&s.edits, &other.edits} {
		if err := all.Add(one); err != nil {
			return err
		}
	}
	for _, form := range []*edits.Set{&all, all.Witness()} {
		if _, err := form.Apply(); err != nil {
			return err
		}
	}
	s.edits = all
	s.Proposals = append(s.Proposals, other.Proposals...)
	s.Done, s.Stay = append(s.Done, other.Done...), append(s.Stay, other.Stay...)
	s.packages = union(s.packages, other.packages)
	s.About, s.Undo, s.Price = union(s.About, other.About), union(s.Undo, other.Undo), union(s.Price, other.Price)
	return nil
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}

// A planner makes the changes for the proposals of a result.
type planner struct {
	*Options
	*attempt.Module
	found *find.Result
}

func (o *Options) planner(found *find.Result) *planner {
	w := &planner{o, &attempt.Module{Dir: o.Dir, Main: found.Target.Package, Show: o.Show.Stage}, found}
	w.Generated = w
	return w
}

// refresh computes the facts of the proposals' sites again if the result comes from a file, because
// the source may have changed.
func (w *planner) refresh(ctx context.Context) error {
	if w.From == nil {
		return nil
	}
	w.Options.Show.Stage("reading the source")
	var sites []*site.Site
	ids := map[*site.Site]string{}
	for _, s := range w.found.Sites {
		if s.Proposal != "" {
			sites = append(sites, s)
			ids[s] = s.ID
		}
	}
	if _, err := facts.Fill(ctx, facts.Options{Dir: w.Options.Dir, Patterns: []string{w.found.Target.Package}}, sites); err != nil {
		return err
	}
	for _, s := range sites {
		if s.ID != ids[s] {
			return fmt.Errorf("the source has changed since coppice find read it: %s:%d differs now; run coppice find -json again", s.File, s.Line)
		}
	}
	return nil
}

// sites returns the sites of a proposal.
func (w *planner) sites(p find.Proposal) (all []*site.Site) {
	for _, s := range w.found.Sites {
		if s.Proposal == p.ID {
			all = append(all, s)
		}
	}
	return all
}

// remedyOf returns the remedy with a given name. Tests replace it.
var remedyOf = remedies.Of

// notTried returns a step for a proposal that cannot be tried. If the remedy can draft files, the
// step contains the draft.
func (w *planner) notTried(ctx context.Context, p find.Proposal, why string) (*Step, error) {
	s := &Step{Title: p.Title, Proposals: []find.Proposal{p}, State: Left, Why: why}
	by := remedyOf(p.Remedy)
	if by == nil || by.Draft == nil {
		return s, nil
	}
	var refused change.Refused
	r, err := w.Request(ctx, w.sites(p))
	if err == nil {
		err = attempt.Carefully(func() (err error) {
			s.begun, s.Todo, err = by.Draft(r)
			return err
		})
	}
	switch {
	case errors.As(err, &refused):
		s.Why += "; " + refused.Why
	case err != nil:
		return nil, err
	default:
		s.State, s.Patch = Begun, slug(p.Title)+".patch"
	}
	return s, nil
}

// make creates the step that carries out a proposal.
func (w *planner) make(ctx context.Context, p find.Proposal) (*planned, error) {
	if !remedies.Can(p.Remedy) {
		return nil, change.Refused{Why: "advice only: " + remedy.Help(p.Remedy)}
	}
	made, pkg, err := w.Make(ctx, p.Remedy, w.sites(p))
	if err != nil {
		return nil, err
	}
	if err := w.intoGrammars(ctx, made); err != nil {
		return nil, err
	}
	return &planned{
		&Step{Title: p.Title, Proposals: []find.Proposal{p}, Done: made.Done, Stay: made.Left, About: lines(made.About), Undo: lines(made.Undo), Price: made.Price, packages: []string{pkg.PkgPath}},
		made.Edits,
	}, nil
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}
