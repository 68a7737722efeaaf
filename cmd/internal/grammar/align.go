package grammar

import (
	"bytes"
	"fmt"
	"go/token"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// A region is a section of a generated file that a //line directive attributes to a line of another
// file.
type region struct {
	start, end int
	name       string
	line       int
}

var directive = regexp.MustCompile(`(?m)^//line ([^\n]*?):(\d+)(?::\d+)?\r?$`)

// regionsOf returns the regions of a file, in order.
func regionsOf(data []byte) (all []region) {
	for _, m := range directive.FindAllSubmatchIndex(data, -1) {
		line, err := strconv.Atoi(string(data[m[4]:m[5]]))
		if err != nil || line < 1 {
			continue
		}
		if len(all) > 0 {
			all[len(all)-1].end = m[0]
		}
		all = append(all, region{min(m[1]+1, len(data)), len(data), string(data[m[2]:m[3]]), line})
	}
	return all
}

// A pair maps a word of the grammar to the words of the generated file that were produced from it.
type pair struct {
	from, to           int // byte offsets in the generated file
	source, sourceEnds int // byte offsets in the grammar
	refers             bool
	region             int
}

// aligned contains the pairs of a generated file, in the order of that file.
type aligned struct {
	pairs     []pair
	regions   []region
	ambiguous []region    // regions that match the grammar at several offsets
	copies    map[int]int // number of copies in the generated file, by offset of the grammar word
	prefix    string
}

// align matches the words of a generated file with the words of its grammar. The names that the
// generator declares begin with prefix.
func align(generated, grammar []byte, isGrammar func(name string) bool, prefix string) aligned {
	a := aligned{regions: regionsOf(generated), copies: map[int]int{}, prefix: prefix}
	readable := withoutReferences(grammar)
	known := map[string]bool{}
	for i, r := range a.regions {
		is, ok := known[r.name]
		if !ok {
			is = isGrammar(r.name)
			known[r.name] = is
		}
		if !is {
			continue
		}
		pairs, once := alignRegion(generated, r, readable, prefix)
		if !once {
			a.ambiguous = append(a.ambiguous, r)
			continue
		}
		for _, p := range pairs {
			p.region = i
			a.pairs = append(a.pairs, p)
			a.copies[p.source]++
		}
	}
	return a
}

// A readableText is a grammar that was converted so that Go's scanner can read it.
type readableText struct {
	text   []byte
	source []byte      // the original grammar
	refers map[int]int // end offsets of references such as $1, by start offset
}

var reference = regexp.MustCompile(`\$(<\w+>)?(\$|-?\d+|[A-Za-z]\w*)`)

// withoutReferences replaces $$, $1 and $<tag>1 by names of the same length, so that Go's scanner
// can read the grammar and offsets stay the same.
func withoutReferences(grammar []byte) readableText {
	r := readableText{bytes.Clone(grammar), grammar, map[int]int{}}
	for _, m := range reference.FindAllIndex(grammar, -1) {
		r.refers[m[0]] = m[1]
		for i := m[0]; i < m[1]; i++ {
			r.text[i] = '_'
		}
	}
	return r
}

// alignRegion matches the words of a region with the words of the grammar, starting in the line
// that the directive names. It returns the longest match. If several positions in the line yield a
// match of that length, the region is ambiguous, and the result once is false.
func alignRegion(generated []byte, r region, grammar readableText, prefix string) (best []pair, once bool) {
	var made []word
	scan(generated, r.start, r.end, func(w word) bool {
		made = append(made, w)
		return true
	})
	from, to := lineSpan(grammar.text, r.line)
	once = true
	for at := range starts(grammar.text, from, to) {
		pairs := alignAt(made, grammar, at, prefix)
		switch {
		case len(pairs) > len(best):
			best, once = pairs, true
		case len(pairs) == len(best) && len(best) > 0:
			once = false
		}
	}
	return best, once
}

// lineSpan returns the offsets of the start and the end of a line.
func lineSpan(text []byte, line int) (from, to int) {
	for range line - 1 {
		next := bytes.IndexByte(text[from:], '\n')
		if next < 0 {
			return len(text), len(text)
		}
		from += next + 1
	}
	if next := bytes.IndexByte(text[from:], '\n'); next >= 0 {
		return from, from + next + 1
	}
	return from, len(text)
}

// starts yields the positions at which a match may start: each word in the line, the first word
// after the line, and the first word after a package clause. The last two are needed because some
// generators write the directive before their own code, and write imports after the package clause.
func starts(text []byte, from, to int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		behind, sinceClause := 0, -1
		scan(text, from, len(text), func(w word) bool {
			switch {
			case w.tok == token.PACKAGE:
				sinceClause = 0
			case sinceClause >= 0:
				sinceClause++
			}
			if w.start >= to {
				behind++
			}
			const next = 2 // the package clause has two words
			switch {
			case behind <= 1 || sinceClause == next:
				return yield(w.start)
			default:
				return 0 <= sinceClause && sinceClause < next
			}
		})
	}
}

// alignAt matches words of the generated file with the words of the grammar that start at an
// offset. It stops at the first word that differs, and returns the pairs before that word.
func alignAt(made []word, grammar readableText, at int, prefix string) (all []pair) {
	i := 0
	var waiting []int // possible numbers of words of the preceding reference, the longest first
	scan(grammar.text, at, len(grammar.text), func(w word) bool {
		if w.tok == token.STRING || w.tok == token.CHAR {
			w.text = string(grammar.source[w.start:w.end])
		}
		if len(waiting) > 0 {
			n := slices.IndexFunc(waiting, func(n int) bool {
				return i+n < len(made) && made[i+n].text == w.text || i+n < len(made) && grammar.refers[w.start] > 0
			})
			if n < 0 {
				all = all[:len(all)-1]
				return false
			}
			i += waiting[n]
			all[len(all)-1].to = made[i-1].end
			waiting = nil
		}
		if i >= len(made) {
			return false
		}
		if end := grammar.refers[w.start]; end > 0 && w.tok == token.IDENT {
			if waiting = referred(made[i:], prefix); len(waiting) == 0 {
				return false
			}
			all = append(all, pair{from: made[i].start, to: made[i+waiting[0]-1].end, source: w.start, sourceEnds: end, refers: true})
			return true
		}
		if made[i].tok != w.tok || made[i].text != w.text {
			return false
		}
		all = append(all, pair{from: made[i].start, to: made[i].end, source: w.start, sourceEnds: w.end})
		i++
		return true
	})
	return all
}

// referred returns the numbers of leading words that may have been produced from a single $$ or $1,
// in descending order. Such sequences are yyVAL.node, yyDollar[1].node and yyDollar[1].node().
func referred(made []word, prefix string) (lengths []int) {
	is := func(i int, text string) bool { return i < len(made) && made[i].text == text }
	n := 0
	switch {
	case is(0, prefix+"LOCAL"):
		return []int{1}
	case is(0, prefix+"VAL"):
		n = 1
	case is(0, prefix+"Dollar") && is(1, "["):
		n = 2
		if is(n, "-") {
			n++
		}
		if n >= len(made) || made[n].tok != token.INT || !is(n+1, "]") {
			return nil
		}
		n += 2
	default:
		return nil
	}
	lengths = []int{n}
	if is(n, ".") && n+1 < len(made) && made[n+1].tok == token.IDENT {
		lengths = []int{n + 2, n}
		if is(n+2, "(") && is(n+3, ")") {
			lengths = []int{n + 4, n + 2, n}
		}
	}
	return lengths
}

// stays returns the reason why the text between two offsets of the generated file cannot be changed
// in the grammar, or "" if it can be changed.
func (a *aligned) stays(from, to int, grammar string) string {
	first, ok := a.pairAt(from)
	last := sort.Search(len(a.pairs), func(i int) bool { return a.pairs[i].to >= to })
	if !ok || last == len(a.pairs) || a.pairs[last].to != to || a.pairs[first].region != a.pairs[last].region {
		for _, r := range a.ambiguous {
			if r.start <= from && from < r.end {
				return fmt.Sprintf("%s:%d has more than one action with these words, so the change is ambiguous", grammar, r.line)
			}
		}
		return "the file is generated, and the expression is not from " + grammar
	}
	if n := a.copies[a.pairs[first].source]; n > 1 {
		return fmt.Sprintf("the generator writes this expression of %s to %d places", grammar, n)
	}
	return ""
}

// pairAt returns the index of the pair that begins at an offset of the generated file, and whether
// there is one.
func (a *aligned) pairAt(from int) (i int, ok bool) {
	i = sort.Search(len(a.pairs), func(i int) bool { return a.pairs[i].from >= from })
	return i, i < len(a.pairs) && a.pairs[i].from == from
}

// spelled replaces the generator's words in text by the words of the grammar. The function source
// returns the words of the grammar for a sequence of the generator's words, or "" if there are
// none.
func (a *aligned) spelled(text string, source func(made string) string) string {
	var all []word
	scan([]byte(text), 0, len(text), func(w word) bool {
		all = append(all, w)
		return true
	})
	var out strings.Builder
	done := 0
	for i := 0; i < len(all); i++ {
		for _, n := range referred(all[i:], a.prefix) {
			from, to := all[i].start, all[i+n-1].end
			if grammar := source(plain(all[i : i+n])); grammar != "" {
				out.WriteString(text[done:from] + grammar)
				done, i = to, i+n-1
				break
			}
		}
	}
	return out.String() + text[done:]
}

// plain joins words without the white space between them.
func plain(all []word) string {
	var out strings.Builder
	for _, w := range all {
		out.WriteString(w.text)
	}
	return out.String()
}
