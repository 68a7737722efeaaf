package facts

import (
	"cmp"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/site"
)

// divide assigns a site's instructions to the expressions on its line, and returns one site for
// each of these expressions. The first of the returned sites is s itself. divide returns nil if all
// instructions belong to one expression, or if sites cannot be divided.
func (u *unit) divide(s *site.Site) (all []divided) {
	if u.divided == nil || len(s.Instructions) < 2 || len(u.onLine(s)) < 2 {
		return nil
	}
	for of, from := range u.assign(s) {
		if len(from) > 0 {
			part := *s
			part.Cost, part.Fate, part.Instructions = totalCost(from), commonFate(from), from
			all = append(all, divided{&part, u.onLine(s)[of]})
		}
	}
	if len(all) < 2 {
		return nil
	}
	*s = *all[0].site
	all[0].site = s
	return all
}

// A divided is one of the sites into which divide splits a site with several expressions.
type divided struct {
	site *site.Site
	of   *candidate
}

// assign returns, for each candidate on a site's line, the instructions that belong to it. In the
// machine code of one function, each allocating expression gets a separate instruction if there are
// enough of them; the score decides which one. If the function is inlined into others, each of
// these functions has its own instructions for the same expressions.
func (u *unit) assign(s *site.Site) [][]site.Instruction {
	candidates := u.onLine(s)
	of := make([][]site.Instruction, len(candidates))
	for first := 0; first < len(s.Instructions); {
		end := first
		for end < len(s.Instructions) && s.Instructions[end].In == s.Instructions[first].In {
			end++
		}
		for i, c := range u.matched(s, s.Instructions[first:end], candidates) {
			of[c] = append(of[c], s.Instructions[first+i])
		}
		first = end
	}
	return of
}

// matched returns, for each instruction, the index of its candidate. All instructions must be in
// the machine code of one function.
func (u *unit) matched(s *site.Site, list []site.Instruction, candidates []*candidate) []int {
	type pair struct {
		instruction, candidate int
		score                  float64
	}
	var pairs []pair
	pairs = slices.Grow(pairs, len(candidates)*len(list))
	for i := range list {
		for j, c := range candidates {
			pairs = append(pairs, pair{i, j, u.scoreOf(s, &list[i], c)})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	match, taken := make([]int, len(list)), make([]bool, len(candidates))
	for i := range match {
		match[i] = -1
	}
	for _, p := range pairs {
		if match[p.instruction] < 0 && !taken[p.candidate] && u.allocates(candidates[p.candidate]) {
			match[p.instruction], taken[p.candidate] = p.candidate, true
		}
	}
	for _, p := range pairs { // there may be more instructions than expressions
		if match[p.instruction] < 0 {
			match[p.instruction] = p.candidate
		}
	}
	return match
}

// allocates reports whether a candidate is known or assumed to allocate.
func (u *unit) allocates(c *candidate) bool {
	return c.kind == site.Call || silent(c) || u.escaping(c.compiled, c.column)
}

// scoreOf returns a score for the evidence that an instruction belongs to the candidate c. If an
// instruction allocates objects of several sizes, an expression of constant size scores lower.
func (u *unit) scoreOf(s *site.Site, of *site.Instruction, c *candidate) float64 {
	alone := *s
	alone.Cost = of.Cost
	score := u.score(&alone, c)
	if len(of.Sizes) > 1 && c.bytes >= 0 {
		score -= explained
	}
	return score
}

// totalCost computes the total cost of several instructions.
func totalCost(all []site.Instruction) (sum site.Cost) {
	sizes := make([][]site.Size, 0, len(all))
	for _, c := range all {
		sizes = append(sizes, c.Sizes)
		sum.Objects += c.Objects
		sum.Bytes += c.Bytes
		sum.ObjectsPart += c.ObjectsPart
		sum.BytesPart += c.BytesPart
		sum.Malloc += c.Malloc
		sum.Samples += c.Samples
		sum.InUse += c.InUse
		sum.InUseBytes += c.InUseBytes
	}
	sum.Sizes = site.Together(sizes...)
	return sum
}

// commonFate returns the mean fate of the objects that several instructions allocate. Objects of
// unknown fate are ignored.
func commonFate(all []site.Instruction) (f site.Fate) {
	objects := 0.0
	for _, c := range all {
		if c.Fate.Method != site.Unknown {
			objects += c.Objects
		}
	}
	for _, c := range all {
		if c.Fate.Method == site.Unknown || objects <= 0 {
			continue
		}
		part := c.Objects / objects
		f.Temporary += part * c.Fate.Temporary
		f.Result += part * c.Fate.Result
		f.Retained += part * c.Fate.Retained
		f.Age += part * c.Fate.Age
		f.Method = c.Fate.Method
	}
	return f
}
