package show

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// A view is the part of a result that is shown.
type view struct {
	*find.Result
	Sites     []*site.Site // sites that are shown
	Left      int          // number of sites that are not shown
	Proposals []proposal   // proposals that are shown
	LeftOut   []proposal   // proposals that are not shown
	If        []string     // the conditions that all shown proposals share
	Next      string       // the command that all shown proposals share; empty if they differ
	numbers   map[string]int
	sites     map[string]*site.Site
}

// A proposal is a find.Proposal and its number on the screen.
type proposal struct {
	find.Proposal
	Number int
}

// viewOf selects what is shown of a result. A proposal is shown if at least one of its sites is
// shown.
func viewOf(r *find.Result, o Options) *view {
	v := &view{Result: r, numbers: map[string]int{}, sites: map[string]*site.Site{}}
	for i, p := range r.Proposals {
		v.numbers[p.ID] = i + 1
	}
	top := o.Top
	if top <= 0 {
		top = Top
	}
	shown, named := map[string]bool{}, map[string]bool{} // site IDs and proposal IDs
	for _, s := range r.Sites {
		if s == nil {
			continue
		}
		v.sites[s.ID] = s
		if !o.All && (len(v.Sites) >= top || !worth(s, o.Min) || r.Answer == find.LeaveAlone || r.Answer == find.SetGOGC && len(r.Proposals) == 0) {
			v.Left++
			continue
		}
		v.Sites = append(v.Sites, s)
		shown[s.ID], named[s.Proposal] = true, true
	}
	for i, p := range r.Proposals {
		hidden := func(id string) bool { return v.sites[id] != nil && !shown[id] }
		if len(p.Sites) > 0 && !named[p.ID] && !slices.ContainsFunc(p.Sites, func(id string) bool { return !hidden(id) }) {
			v.LeftOut = append(v.LeftOut, proposal{p, i + 1})
			continue
		}
		v.Proposals = append(v.Proposals, proposal{p, i + 1})
	}
	v.share()
	return v
}

// Proposals returns the IDs of the proposals that are shown.
func Proposals(r *find.Result, o Options) (all []string) {
	for _, p := range viewOf(r, o).Proposals {
		all = append(all, p.ID)
	}
	return all
}

// share moves the conditions and the command that all proposals have in common from the proposals
// to the view. It does nothing if there is only one proposal.
func (v *view) share() {
	if len(v.Proposals) < 2 {
		return
	}
	first := v.Proposals[0]
	everywhere := func(has func(p proposal) bool) bool {
		return !slices.ContainsFunc(v.Proposals, func(p proposal) bool { return !has(p) })
	}
	for _, condition := range first.Estimate.If {
		if everywhere(func(p proposal) bool { return slices.Contains(p.Estimate.If, condition) }) {
			v.If = append(v.If, condition)
		}
	}
	if everywhere(func(p proposal) bool { return p.Next == first.Next }) {
		v.Next = first.Next
	}
	for i := range v.Proposals {
		p := &v.Proposals[i]
		p.Estimate.If = slices.DeleteFunc(slices.Clone(p.Estimate.If), func(c string) bool { return slices.Contains(v.If, c) })
		if v.Next != "" {
			p.Next = ""
		}
	}
}

// worth reports whether at least one cost of a site reaches the fraction least. It returns true if
// a cost is NaN, so that the site is shown.
func worth(s *site.Site, least float64) bool {
	return !(s.Malloc < least && s.ObjectsPart < least && s.BytesPart < least)
}

// number returns the number of a site's proposal, or 0 if it has none.
func (v *view) number(s *site.Site) int { return v.numbers[s.Proposal] }

// A row contains the cells of the table row for a site.
type row struct {
	Number string // number of the proposal, or empty
	Name   string
	Objects, Bytes, Malloc,
	Fate, Type, Do string
}

func (v *view) row(s *site.Site) row {
	r := row{
		Name: name(v.Target.Dir, s), Objects: figure.Part(s.ObjectsPart), Bytes: figure.Part(s.BytesPart), Malloc: figure.Unknown,
		Fate: fate(s.Fate), Type: typeOf(s.Facts), Do: describeRemedy(s.Advice),
	}
	if n := v.number(s); n > 0 {
		r.Number = strconv.Itoa(n)
	}
	if v.Classes.Samples > 0 {
		r.Malloc = figure.Part(s.Malloc)
	}
	return r
}

// A share is the fraction of the CPU time that one class of memory work takes.
type share struct {
	Name string
	Part float64
}

// shares returns the shares of all classes of memory work.
func (v *view) shares() []share {
	c := v.Classes
	return []share{{"malloc", c.Malloc}, {"assist", c.Assist}, {"mark", c.Mark}, {"sweep", c.Sweep}, {"barrier", c.Barrier}}
}

// ceiling describes the saving that was measured without a collector, which is the maximum cost of
// the collector.
func (v *view) ceiling() string {
	c := v.Ceiling
	if c == nil || !measured(&c.CPU) {
		return "not measured"
	}
	text := saved(&c.CPU)
	if !unmeasurable(&c.CPU) {
		text += " of CPU"
	}
	if in := savedInterval(&c.CPU); in != "" {
		text += " " + in
	}
	how := ""
	if c.Name != "" {
		how = termtext.Plain(c.Name) + ", "
	}
	return text + " without the collector (" + how + "one processor, " + counted(c.Rounds, "round") + ")"
}

// counted formats a count with its noun: 1 round, 10 rounds.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return figure.Count(float64(n)) + " " + noun
}

// notShown describes how many sites are not shown. It returns "" if all are shown.
func (v *view) notShown() string {
	switch {
	case v.Left == 0:
		return ""
	case len(v.Sites) == 0:
		return counted(v.Left, "site") + " allocate; -all shows them"
	}
	return counted(v.Left, "site") + " more; -all shows them"
}

// leftOut describes the proposals that are not shown. It states their savings, because the total in
// the reason includes them. It returns "" if all are shown.
func (v *view) leftOut() string {
	if len(v.LeftOut) == 0 {
		return ""
	}
	var numbers []string
	sum, valid := 0.0, 0
	for _, p := range v.LeftOut {
		numbers = append(numbers, strconv.Itoa(p.Number))
		if len(p.Estimate.Void) == 0 {
			sum, valid = sum+p.Estimate.CPU, valid+1
		}
	}
	const most = 6
	if len(numbers) > most {
		numbers = append(numbers[:most], "...")
	}
	text := fmt.Sprintf("%s more (%s)", counted(len(v.LeftOut), "proposal"), strings.Join(numbers, ", "))
	switch {
	case valid == 0:
		text += ", without a valid estimate"
	case valid < len(v.LeftOut):
		text += fmt.Sprintf(", of which %d save %s of CPU", valid, figure.Part(sum))
	case valid == 1:
		text += ", which saves " + figure.Part(sum) + " of CPU"
	default:
		text += ", which save " + figure.Part(sum) + " of CPU together"
	}
	return text
}

// mixture reports whether one of the shown sites has mixed lifetimes.
func (v *view) mixture() bool {
	return slices.ContainsFunc(v.Sites, func(s *site.Site) bool { return s.Fate.Main() == mixed })
}
