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

// answer returns the sentence that describes an answer to the user.
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

// sentence appends a full stop to text unless it already ends with a full stop, an exclamation mark
// or a question mark.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// unit returns the suffix for values per operation, such as /op.
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

// measured reports whether c contains a measurement.
func measured(c *find.Change) bool {
	return c != nil && c.Ratio > 0 && figure.Finite(c.Ratio)
}

// approximately returns the prefix of a difference that is not proven.
func approximately(c *find.Change) string {
	if c.Proven {
		return ""
	}
	return "~ "
}

// saved formats what a change saves: 19.5 %, or ~ 2.7 % if it is not proven. A loss is negative.
func saved(c *find.Change) string {
	if !measured(c) {
		return "not measured"
	}
	if unmeasurable(c) {
		return "not measurable here"
	}
	return approximately(c) + figure.Part(1-c.Ratio)
}

// unmeasurable reports whether a change cannot be distinguished from noise: its interval extends
// beyond zero by more than the change itself.
func unmeasurable(c *find.Change) bool {
	lo, hi := 1-c.Hi, 1-c.Lo
	if c.Proven || !figure.Finite(lo) || !figure.Finite(hi) || lo >= hi {
		return false
	}
	v := 1 - c.Ratio
	return v >= 0 && -lo > v || v < 0 && hi > -v
}

// savedInterval formats the interval of what a change saves, in percent. It returns "" without an
// interval.
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

// grown formats the growth of a value, such as +85.0 %.
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

// estimate describes what a proposal saves, or why the saving is unknown.
func estimate(e find.Estimate) string {
	switch {
	case len(e.Void) > 0:
		return "void: " + list(e.Void)
	case e.CPU == 0 && e.Lo == 0 && e.Hi == 0 || !figure.Finite(e.CPU):
		return "not known"
	}
	return strings.TrimSpace("saves " + figure.Part(e.CPU) + " of CPU " + interval(e.Lo, e.Hi))
}

// describeFix describes what coppice fix would change for a proposal. It returns "" if fix did not
// examine the proposal.
func describeFix(p find.Proposal) string {
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

// Results of fate for unknown and for mixed lifetimes.
const (
	unknown = "unknown"
	mixed   = "mixed"
)

// fate formats a lifetime for the table of sites, as in result 100 % if most objects have the same
// lifetime, and mixed 60/37/3 for the percentages of temporary, result and retained objects. If
// only the age is known, it returns the age, as in age 12 ms.
func fate(f site.Fate) string {
	if f.Method == site.Unknown && f.Age > 0 { // from existing profiles, which have no operations
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

// typeOf returns the type of a site's values, with the size if it is constant: Node 104 B, []byte.
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

// describeRemedy returns a short description of the remedy.
func describeRemedy(a site.Advice) string {
	if a.Do != "" {
		return termtext.Plain(a.Do)
	}
	return termtext.Plain(strings.ReplaceAll(string(a.Remedy), "-", " "))
}

// fileName shortens the name of a file: to the path relative to dir, the folder of the target, or
// to the last elements of the package and of the path.
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

// place formats a line of a file, such as parse.go:325.
func place(dir string, p site.Place) string {
	if p.File == "" {
		return termtext.Plain(p.Package + "." + p.Function)
	}
	return fileName(dir, p) + ":" + strconv.Itoa(p.Line)
}

// name formats the position of a site. If the standard library allocates on behalf of the site, the
// library's position comes first: bytes.go:1163 <- parse.go:325.
func name(dir string, s *site.Site) string {
	text := place(dir, s.Place)
	if s.Leaf != nil {
		text = termtext.Plain(path.Base(filepath.ToSlash(s.Leaf.File))) + ":" + strconv.Itoa(s.Leaf.Line) + " <- " + text
	}
	return text
}

// overhead describes how much the heap profiles slowed the runs down.
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

// reasons returns the reasons why the sites with the largest costs are left unchanged.
func (v *view) reasons() (all []string) {
	for _, s := range v.Sites {
		if s.Remedy == site.Leave && max(s.ObjectsPart, s.BytesPart, s.Malloc) >= reasonFrom && len(s.Why) > 0 {
			all = append(all, termtext.Plain("leave "+name(v.Target.Dir, s)+": "+s.Why[len(s.Why)-1]))
		}
	}
	return all
}

// reasonFrom is the smallest share of objects, bytes or CPU time for which a site's reason is
// shown.
const reasonFrom = 0.1
