package show

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchunit"

	"github.com/coppice-go/coppice/cmd/internal/find"
	"github.com/coppice-go/coppice/cmd/internal/render/figure"
	"github.com/coppice-go/coppice/cmd/internal/render/termtext"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// answer puts an answer into words.
func answer(a find.Answer) string {
	switch a {
	case find.LeaveAlone:
		return "No: leave it alone."
	case find.SetGOGC:
		return "Yes: set GOGC."
	case find.FixSites:
		return "Yes: fix sites."
	}
	return "Not known."
}

// sentence ends a string with a full stop.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// unit returns the suffix of a value per operation: /op.
func unit(t find.Target) string {
	switch t.Unit {
	case "", "operation":
		return "/op"
	case "second":
		return "/s"
	}
	return "/" + termtext.Plain(t.Unit)
}

// operation lists the costs of one operation. Unknown costs are omitted.
func operation(r *find.Result) (all []string) {
	per := unit(r.Target)
	say := func(v float64, text string) {
		if v > 0 && figure.Finite(v) {
			all = append(all, text)
		}
	}
	exact := ""
	if r.Op.Exact {
		exact = " (exact)"
	}
	say(r.Op.CPU, figure.Scaled(r.Op.CPU, benchunit.Decimal, "s")+" CPU"+per)
	say(r.Op.Allocs, figure.Count(r.Op.Allocs)+" allocs"+per+exact)
	say(r.Op.Bytes, figure.Scaled(r.Op.Bytes, benchunit.Decimal, "B")+per)
	say(r.Op.Cycles, figure.Count(r.Op.Cycles)+" GC cycles"+per)
	return all
}

// measured reports whether a change was measured.
func measured(c *find.Change) bool {
	return c != nil && c.Ratio > 0 && figure.Finite(c.Ratio)
}

// approximately returns the sign before a difference that is not proven.
func approximately(c *find.Change) string {
	if c.Proven {
		return ""
	}
	return "~ "
}

// saved returns the saving of a change: 19.5 %, or ~ 2.7 % if it is not proven. A negative value is
// a loss.
func saved(c *find.Change) string {
	if !measured(c) {
		return "not measured"
	}
	if unmeasurable(c) {
		return "not measurable here"
	}
	return approximately(c) + figure.Part(1-c.Ratio)
}

// unmeasurable reports whether a change cannot be distinguished from noise, because its interval
// reaches beyond zero by more than the change itself.
func unmeasurable(c *find.Change) bool {
	lo, hi := 1-c.Hi, 1-c.Lo
	if c.Proven || !figure.Finite(lo) || !figure.Finite(hi) || lo >= hi {
		return false
	}
	v := 1 - c.Ratio
	return v >= 0 && -lo > v || v < 0 && hi > -v
}

// savedInterval returns the interval of what a change saves, in percent, or "" if there is none.
func savedInterval(c *find.Change) string {
	if !measured(c) {
		return ""
	}
	return interval(1-c.Hi, 1-c.Lo)
}

func interval(lo, hi float64) string {
	if !figure.Finite(lo) || !figure.Finite(hi) || lo >= hi {
		return ""
	}
	return "[" + figure.Percents(lo, 1) + " to " + figure.Percents(hi, 1) + "]"
}

// grown returns the amount by which a value grows: +85.0 %.
func grown(c *find.Change) string {
	if !measured(c) {
		return "not measured"
	}
	sign := ""
	if c.Ratio >= 1 {
		sign = "+"
	}
	return approximately(c) + sign + figure.Part(c.Ratio-1)
}

// estimate returns what a proposal saves, or the reason that the saving is unknown.
func estimate(e find.Estimate) string {
	switch {
	case len(e.Void) > 0:
		return "void: " + list(e.Void)
	case e.CPU == 0 && e.Lo == 0 && e.Hi == 0 || !figure.Finite(e.CPU):
		return "not known"
	}
	return strings.TrimSpace("saves " + figure.Part(e.CPU) + " of CPU " + interval(e.Lo, e.Hi))
}

// taken returns what coppice fix would change for a proposal. It returns "" if fix did not examine
// the proposal.
func taken(p find.Proposal) string {
	f := p.Fix
	switch {
	case f == nil:
		return ""
	case f.ByHand != "":
		return "by hand: " + termtext.Plain(f.ByHand)
	}
	text := "takes all of it"
	if len(f.Sites) < len(p.Sites) {
		text = fmt.Sprintf("takes %d of %s", len(f.Sites), counted(len(p.Sites), "site"))
	}
	if len(p.Estimate.Void) == 0 {
		text += ", and " + estimate(find.Estimate{CPU: f.CPU, Lo: f.Lo, Hi: f.Hi})
	}
	if len(f.Stays) > 0 {
		text += "; not " + list(f.Stays)
	}
	return text
}

// list joins items into one line.
func list(items []string) string { return termtext.Plain(strings.Join(items, "; ")) }

// Fates.
const (
	unknown = "unknown"
	mixed   = "mixed"
)

// fate returns a short form of the lifetime of most objects. It returns age 12 ms if only the age
// is known, result 100 % if most objects have one lifetime, and mixed 60/37/3 for the shares of
// temporary, result and retained objects.
func fate(f site.Fate) string {
	if f.Method == site.Unknown && f.Age > 0 { // of existing profiles, which have no operation
		return "age " + figure.Scaled(f.Age, benchunit.Decimal, "s")
	}
	part := func(v float64) string { return figure.Percents(v, 0) }
	switch word := f.Main(); word {
	case "temporary":
		return word + " " + part(f.Temporary) + " %"
	case "result":
		return word + " " + part(f.Result) + " %"
	case "retained":
		return word + " " + part(f.Retained) + " %"
	case mixed:
		return word + " " + part(f.Temporary) + "/" + part(f.Result) + "/" + part(f.Retained)
	}
	return unknown
}

// typeOf returns the type of the values of a site, with the size if it is constant: Node 104 B,
// []byte.
func typeOf(f site.Facts) string {
	text := termtext.Plain(f.Spelled())
	switch f.Kind {
	case site.MakeSlice, site.Append, site.Variadic, site.ToBytes:
		return text
	}
	if text != "" && f.Size > 0 && f.Type != "string" && f.Kind != site.MakeMap && f.Kind != site.Call {
		text += " " + strconv.FormatInt(f.Size, 10) + " B"
	}
	return text
}

// do returns the short form of the remedy.
func do(a site.Advice) string {
	if a.Do != "" {
		return termtext.Plain(a.Do)
	}
	return termtext.Plain(strings.ReplaceAll(string(a.Remedy), "-", " "))
}

// fileName returns a short name of a file: relative to the target's folder, or the last
// elements of its package and its path.
func fileName(dir string, p site.Place) string {
	file := filepath.ToSlash(p.File)
	if dir != "" && filepath.IsAbs(p.File) {
		relative, err := filepath.Rel(dir, p.File)
		relative = filepath.ToSlash(relative)
		const up = "../"
		if err == nil && !strings.HasPrefix(relative, up+up+up) {
			return termtext.Plain(relative)
		}
	}
	base := path.Base(file)
	if p.Package != "" {
		return termtext.Plain(path.Base(p.Package) + "/" + base)
	}
	return termtext.Plain(base)
}

// place returns a line of a file: parse.go:325.
func place(dir string, p site.Place) string {
	if p.File == "" {
		return termtext.Plain(p.Package + "." + p.Function)
	}
	return fileName(dir, p) + ":" + strconv.Itoa(p.Line)
}

// name returns the position of a site, after the frame of the standard library that allocates for
// it: bytes.go:1163 <- parse.go:325.
func name(dir string, s *site.Site) string {
	text := place(dir, s.Place)
	if s.Leaf != nil {
		text = termtext.Plain(path.Base(filepath.ToSlash(s.Leaf.File))) + ":" + strconv.Itoa(s.Leaf.Line) + " <- " + text
	}
	return text
}

// overhead describes by how much heap profiles slowed the runs down.
func (v *view) overhead() string {
	slowest := 0.0
	for _, p := range v.Probes {
		slowest = max(slowest, p.Slowdown)
	}
	if slowest == 0 {
		return ""
	}
	what := "counts"
	if slices.ContainsFunc(v.Result.Sites, func(s *site.Site) bool { return s != nil && s.Fate.Method != site.Unknown }) {
		what = "lifetimes and counts"
	}
	return fmt.Sprintf("%s are from runs that heap profiles slowed down by up to %s times", what, figure.Rough(slowest))
}

// reasons lists the reasons that the sites that allocate most are left unchanged.
func (v *view) reasons() (all []string) {
	for _, s := range v.Sites {
		if s.Remedy == site.Leave && max(s.ObjectsPart, s.BytesPart, s.Malloc) >= reasonFrom && len(s.Why) > 0 {
			all = append(all, termtext.Plain("leave "+name(v.Target.Dir, s)+": "+s.Why[len(s.Why)-1]))
		}
	}
	return all
}

// reasonFrom is the minimum share of objects, bytes or CPU time of a site for which the screen
// gives a reason.
const reasonFrom = 0.1
