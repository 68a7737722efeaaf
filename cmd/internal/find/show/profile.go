package show

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// The labels that Profile adds to samples. They can be selected as in go tool pprof -tagfocus
// fate=temporary.
const (
	LabelSite     = "site"   // such as parse.go:325
	LabelFate     = "fate"   // temporary, result, retained, mixed, unknown
	LabelRemedy   = "remedy" // such as slab
	LabelProposal = "proposal"
)

// Profile writes a copy of a heap profile or a CPU profile, in which each sample that belongs to a
// site has these labels. They replace existing labels with the same names. The profile p is not
// modified. Profile takes twice as long as writing the profile.
func Profile(w io.Writer, r *find.Result, p *profile.Profile, siteOf func(*profile.Sample) *site.Site) error {
	if err := p.CheckValid(); err != nil {
		return fmt.Errorf("the profile cannot be labelled: %w", err)
	}
	v := viewOf(r, Options{All: true})
	labelled := p.Copy()
	labelled.Comments = append(labelled.Comments, termtext.Plain(r.Tool+": "+answer(r.Answer)+" "+r.Reason))
	for i, sample := range labelled.Sample {
		s := siteOf(p.Sample[i])
		if s == nil {
			continue
		}
		if sample.Label == nil {
			sample.Label = map[string][]string{}
		}
		sample.Label[LabelSite] = []string{name(v.Target.Dir, s)}
		sample.Label[LabelFate] = []string{s.Fate.Main()}
		sample.Label[LabelRemedy] = []string{string(s.Remedy)}
		delete(sample.Label, LabelProposal)
		if n := v.number(s); n > 0 {
			sample.Label[LabelProposal] = []string{fmt.Sprintf("%d: %s", n, termtext.Plain(v.Result.Proposals[n-1].Title))}
		}
		if s.Remedy == "" {
			sample.Label[LabelRemedy] = []string{string(site.Leave)}
		}
	}
	return labelled.Write(w)
}
