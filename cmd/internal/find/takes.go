package find

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/find/decide"
	"github.com/coppice-go/coppice/cmd/internal/remedy/attempt"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/remedy/remedies"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// mostTaking limits the time for finding out what coppice fix would change. In most modules this
// takes seconds. In a module with thousands of packages, which fix reads for several builds, it
// takes minutes.
const mostTaking = 2 * time.Minute

// Takes finds out what coppice fix would change for the shown proposals of several results for one
// module. It runs the analysis of fix, and reads the module once for all results. If the analysis
// of a proposal fails or takes too long, Takes does not change the proposal, and adds a warning.
func Takes(ctx context.Context, dir string, results []*Result, shown func(*Result) (proposals []string), show func(what string)) error {
	limited, cancel := context.WithTimeout(ctx, mostTaking)
	defer cancel()
	m := &attempt.Module{Dir: dir, Show: show}
	for _, r := range results {
		m.Main = r.mainPackage()
		err := r.asks(limited, m, shown(r))
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// asks finds out what coppice fix would change for the proposals with the given IDs, and adds a
// summary to the reason for the answer.
func (r *Result) asks(ctx context.Context, m *attempt.Module, proposals []string) error {
	if len(proposals) == 0 {
		return nil
	}
	start := time.Now()
	for i := range r.Proposals {
		p := &r.Proposals[i]
		if !slices.Contains(proposals, p.ID) {
			continue
		}
		m.Show(fmt.Sprintf("checking what coppice fix changes for proposal %d", i+1))
		err := r.takes(ctx, m, p)
		switch {
		case ctx.Err() != nil:
			r.warn("what coppice fix changes was not determined within %v: the module is large; run coppice fix", mostTaking)
			return nil
		case err != nil:
			r.warn("what coppice fix changes for proposal %d was not determined: %v", i+1, err)
		}
	}
	r.Taking = time.Since(start).Seconds()
	if text := decide.Taken(r.input(), r.Proposals); text != "" && (r.Answer == FixSites || r.Answer == SetGOGC) {
		r.Reason += "; " + text
	}
	return nil
}

// mainPackage returns the pattern for the main package that contains the sites. Existing profiles
// do not name that package.
func (r *Result) mainPackage() string {
	for _, s := range r.Sites {
		if s.Package == "main" && len(r.Target.Sources) > 0 {
			return filepath.Dir(s.File)
		}
	}
	return cmp.Or(r.Target.Package, ".")
}

// takes finds out what coppice fix would change for one proposal.
func (r *Result) takes(ctx context.Context, m *attempt.Module, p *Proposal) error {
	var all, fit []*site.Site
	for _, s := range r.Sites {
		if s.Proposal == p.ID {
			all = append(all, s)
		}
	}
	f := &site.Fix{}
	if !remedies.Can(p.Remedy) {
		f.ByHand = "coppice fix does not make this change"
	} else {
		made, _, err := m.Make(ctx, p.Remedy, all)
		refused := change.Refused{}
		switch {
		case errors.As(err, &refused):
			f.ByHand = refused.Why
		case err != nil:
			return err
		default:
			f.Stays = made.Left
		}
		for _, s := range all {
			if made == nil || !made.Changes(s) {
				continue
			}
			if fit = append(fit, s); !slices.Contains(f.Sites, s.ID) {
				f.Sites = append(f.Sites, s.ID)
			}
		}
	}
	if len(fit) > 0 {
		e := decide.Part(r.input(), fit)
		f.CPU, f.Lo, f.Hi = e.CPU, e.Lo, e.Hi
	} else if len(r.Target.Sources) == 0 { // the target can be run here
		p.Next = decide.Proving(r.Target.Next)
	}
	p.Fix = f
	return nil
}
