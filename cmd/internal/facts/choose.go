package facts

import (
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/goroot"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// choose returns the candidate that best matches a site, or nil if there are no candidates on its
// line. If several sites have the same position, it gives them different candidates as long as
// there are enough.
func (u *unit) choose(s *site.Site, chosen map[*site.Site]*candidate) *candidate {
	taken := map[*candidate]bool{}
	for other, c := range chosen {
		if other != s && other.Place == s.Place && samePlace(other.Leaf, s.Leaf) {
			taken[c] = true
		}
	}
	var best *candidate
	least := 0.0
	for _, c := range u.onLine(s) {
		score := u.score(s, c) + u.asBefore(s, c)
		if taken[c] {
			score -= again
		}
		if best == nil || score > least {
			best, least = c, score
		}
	}
	return best
}

func samePlace(a, b *site.Place) bool { return a == b || a != nil && b != nil && *a == *b }

// asBefore returns a score for the evidence that an earlier analysis chose c for the site s.
func (u *unit) asBefore(s *site.Site, c *candidate) (score float64) {
	was := u.was[s]
	if was.Kind == c.kind && was.Type == u.typeName(c.typ) {
		score = before
		for _, e := range was.Escapes {
			if e.Column == c.column {
				return score + sameDepth
			}
		}
	}
	return score
}

// onLine returns the candidates on a site's line. A profile contains only one file name for each
// function. So if a //line directive changes the file name inside a function, candidates are found
// by the line number alone.
func (u *unit) onLine(s *site.Site) (all []*candidate) {
	for _, c := range u.lines[line{filepath.Base(s.File), s.Line}] {
		if (c.kind == site.Call) == isLeaf(s.Leaf) {
			all = append(all, c)
		}
	}
	name, _ := base(s.Function)
	for _, c := range u.directed[s.Line] {
		if c.function.name == name && (c.kind == site.Call) == isLeaf(s.Leaf) && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// alternatives returns descriptions of the other expressions on a site's line that, according to
// the compiler, may allocate.
func (u *unit) alternatives(s *site.Site, chosen *candidate) (all []string) {
	for _, c := range u.onLine(s) {
		if c != chosen && c.kind != site.Call && (silent(c) || u.escaping(c.compiled, c.column)) {
			all = append(all, strings.TrimSpace(string(c.kind)+" "+u.typeName(c.typ)))
		}
	}
	return all
}

// isLeaf reports whether a function of another package allocates on behalf of the site. The runtime
// is not considered such a package, because it allocates on behalf of every site.
func isLeaf(leaf *site.Place) bool {
	return leaf != nil && leaf.Package != "runtime" && !strings.HasPrefix(leaf.Package, "internal/runtime/")
}

// These weights express how strongly a piece of evidence suggests that a site belongs to a
// candidate. Each weight except before is greater than the sum of all later weights that can apply
// to the same candidate.
const (
	again        = 200 // subtracted if another site of the place already has the candidate
	sameFunction = 100
	before       = 60 // the site had this kind and type in an earlier analysis
	sameCallee   = 40
	explained    = 20 // the compiler reports that it escapes, or reports nothing about this kind
	fits         = 10 // maximum, for a size that equals the mean size in the profile
	variable     = 5  // the size of the candidate varies
	sameDepth    = 2
	always       = 1 // the candidate allocates each time, not only when something grows
)

// score adds up the evidence that the site s belongs to the candidate c.
func (u *unit) score(s *site.Site, c *candidate) (score float64) {
	name, depth := base(s.Function)
	if name == c.function.name {
		score += sameFunction
	}
	if depth == c.depth {
		score += sameDepth
	}
	if c.kind == site.Call {
		return score + u.calls(s, c)
	}
	if silent(c) || u.escaping(c.compiled, c.column) {
		score += explained
	}
	if c.kind != site.Append && !silent(c) {
		score += always
	}
	mean := 0.0
	if s.Objects > 0 {
		mean = s.Bytes / s.Objects
	}
	switch {
	case mean == 0:
	case c.bytes < 0:
		score += variable
	default:
		class := float64(allocated(c.bytes, pointers(c.typ) != site.NoPointers))
		score += fits * max(0, 1-math.Abs(class-mean)/mean)
	}
	return score
}

// silent reports whether a candidate may allocate although the compiler prints no message about it.
// Such a candidate calls the runtime, which allocates only if the spare capacity is insufficient.
func silent(c *candidate) bool {
	switch c.kind {
	case site.Append, site.Goroutine:
		return true
	case site.MakeMap, site.Concat: // statements: a map assignment, and +=
		return c.statement()
	}
	return false
}

// calls returns a score for the evidence that c is the call to the standard library that allocates
// at the site s.
func (u *unit) calls(s *site.Site, c *candidate) float64 {
	if c.callee == nil || c.callee.Pkg() == nil {
		return 0
	}
	path := c.callee.Pkg().Path()
	switch {
	case path == s.Leaf.Package && strings.HasSuffix("."+s.Leaf.Function, "."+c.callee.Name()):
		return sameCallee
	case path == s.Leaf.Package:
		return sameCallee / 2
	case goroot.Has(path):
		return sameCallee / 4
	}
	return 0
}

var (
	typeArguments = regexp.MustCompile(`\[[^()]*\]`)
	literals      = regexp.MustCompile(`(\.(func|gowrap|deferwrap)?\d+|` + site.LoopSuffix + `|-fm)+$`)
	literal       = regexp.MustCompile(`\.(func)?\d+`)
)

// base splits a function's linker name into the name of the enclosing declaration and the number of
// nested function literals.
func base(function string) (name string, depth int) {
	name = typeArguments.ReplaceAllString(function, "")
	suffix := literals.FindString(name)
	if name = strings.TrimSuffix(name, suffix); name == "glob." { // package-level variables
		name = "init"
	}
	return name, len(literal.FindAllString(suffix, -1))
}

// strange reports whether a site's line is outside the function that the profile names. If it is,
// the profile does not match this source.
func (u *unit) strange(s *site.Site) bool {
	name, _ := base(s.Function)
	file := filepath.Base(s.File)
	found, named := false, false
	for _, f := range u.functions {
		inside := f.from.file == file && f.from.line <= s.Line && s.Line <= f.to.line
		named = named || f.name == name
		found = found || inside && f.name == name
	}
	return named && !found && name != "init" && !u.directive(file)
}

// allocated returns the number of bytes that the runtime allocates for a value. It uses the size
// classes of the running process, which are the same in all supported versions of Go.
func allocated(size int64, pointers bool) int64 {
	const (
		tiny   = 16  // size of the blocks that small values without pointers share
		header = 8   // size of the header of a value with pointers
		plain  = 512 // size up to which values with pointers have no header
	)
	switch {
	case size <= 0:
		return 0
	case !pointers && size < tiny:
		return tiny
	case pointers && size > plain:
		size += header
	}
	return int64(cap(append([]byte(nil), make([]byte, size)...)))
}
