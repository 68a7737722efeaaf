// Package stalefine has what rule stalevalue must not report although values go through fields and
// functions: copies, fields that were assigned again, and owners that may be others.
package stalefine

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

type item struct {
	name string
	next *item
	size int
}

type parser struct {
	arena *arena.Arena
	items slab.Slab[item]
	root  *item
	text  string
}

func copied(a *arena.Arena, token []byte) (string, []int, string) {
	name, all := strings.Clone(a.String(token)), slices.Clone(arena.Make[int](a, 2))
	bytes := string(arena.Make[byte](a, 2))
	a.Reset()
	return name, all, bytes
}

func numbers(a *arena.Arena) int {
	n := arena.New[item](a)
	n.size = 3
	size := n.size
	a.Reset()
	return size
}

func otherString(a *arena.Arena, token string) string {
	n := arena.New[item](a)
	n.name = token
	s := n.name
	a.Reset()
	return s
}

func otherField(a *arena.Arena, token []byte) int {
	p := item{name: a.String(token), size: 2}
	a.Reset()
	return p.size
}

func lengthOnly(a *arena.Arena, token []byte) (int, bool) {
	name := a.String(token)
	a.Reset()
	return len(name), name == ""
}

func assignedAgain(p *parser) *item {
	p.root = arena.New[item](p.arena)
	p.arena.Reset()
	p.root = arena.New[item](p.arena)
	return p.root
}

func clearedByMethod(p *parser) *item {
	p.root = p.items.New()
	p.items.Reset()
	p.refill()
	return p.root
}

func (p *parser) refill() { p.root = p.items.New() }

func clearedByFunction(p *parser, refill func()) *item {
	p.root = p.items.New()
	p.items.Reset()
	refill()
	return p.root
}

func otherPointer(p, q *parser) *item {
	p.root = p.items.New()
	p.items.Reset()
	q.root = &item{} // q may be p
	return p.root
}

func otherParser(p, q *parser) *item {
	p.root = p.items.New()
	q.items.Reset()
	return p.root
}

func wholeStruct(p *parser) *item {
	p.root = p.items.New()
	p.items.Reset()
	*p = parser{root: &item{}}
	return p.root
}

func maybeReset(a *arena.Arena, full bool) {
	if full {
		a.Reset()
	}
}

func notAlways(a *arena.Arena) int {
	n := arena.New[item](a)
	maybeReset(a, false)
	return n.size
}

func fails(a *arena.Arena) error {
	if a == nil {
		return errors.New("no arena")
	}
	a.Reset()
	return nil
}

func replace(p *parser) {
	p.arena = &arena.Arena{}
	p.arena.Reset()
}

func replaced(p *parser) int {
	n := arena.New[item](p.arena)
	replace(p)
	return n.size
}

func either(a *arena.Arena, cached *item) *item {
	if cached != nil {
		return cached
	}
	return arena.New[item](a)
}

func cachedOrNew(a *arena.Arena) int {
	n := either(a, &item{})
	a.Reset()
	return n.size
}

func sized(a *arena.Arena, token []byte) int {
	n := arena.New[item](a)
	n.name = a.String(token)
	return len(n.name)
}

func numberOfFunction(a *arena.Arena, token []byte) int {
	size := sized(a, token)
	a.Reset()
	return size
}

func clone(a *arena.Arena, token []byte) string {
	name := a.String(token)
	return strings.Clone(name)
}

func cloneOfFunction(a *arena.Arena, token []byte) string {
	name := clone(a, token)
	a.Reset()
	return name
}

func (p *parser) change() *item {
	p.arena = &arena.Arena{}
	return arena.New[item](p.arena)
}

func changed(p *parser) int {
	a := p.arena
	n := p.change()
	a.Reset()
	return n.size
}

func everyTurn(p *parser, tokens [][]byte) (sum int) {
	for _, token := range tokens {
		p.root = arena.New[item](p.arena)
		p.root.name = p.arena.String(token)
		p.text = p.root.name
		sum += len(p.text)
		p.arena.Reset()
	}
	return sum
}

func drained(p *parser) int {
	for n := p.root; n != nil; n = n.next {
		p.root = n
	}
	p.items.Reset()
	p.root = nil
	return 0
}

func newStruct(a *arena.Arena, token []byte) *item {
	n := &item{name: a.String(token)}
	n.name = strings.Clone(n.name)
	a.Reset()
	return n
}

func appended(a *arena.Arena) []int {
	all := append(arena.Make[int](a, 2), 3) // it has no room left: append copies
	a.Reset()
	return all
}

func oldArena(p *parser) int {
	old := p.arena
	p.arena = &arena.Arena{}
	n := arena.New[item](p.arena)
	old.Reset()
	return n.size
}

func listOfCopies(a *arena.Arena, tokens [][]byte) (names []string) {
	for _, token := range tokens {
		names = append(names, strings.Clone(a.String(token)))
		a.Reset()
	}
	return names
}

func clonedInPlace(a *arena.Arena, tokens [][]byte) (names []string) {
	for _, token := range tokens {
		names = append(names, a.String(token))
	}
	for i := range names {
		names[i] = strings.Clone(names[i])
	}
	a.Reset()
	return names
}

func clonedElsewhere(a *arena.Arena, tokens [][]byte) (names []string) {
	for _, token := range tokens {
		names = append(names, a.String(token))
	}
	cloneAll(names)
	a.Reset()
	return names
}

func cloneAll(names []string) {
	for i := range names {
		names[i] = strings.Clone(names[i])
	}
}

func emptied(a *arena.Arena, tokens [][]byte) []string {
	var names []string
	for _, token := range tokens {
		names = append(names, a.String(token))
		if len(names) == 8 {
			a.Reset()
			names = names[:0]
		}
	}
	return names
}

func stack(a *arena.Arena) *item {
	var open []*item
	for i := range 8 {
		n := arena.New[item](a)
		n.size = i
		open = append(open, n)
	}
	for len(open) > 0 {
		open = open[:len(open)-1]
	}
	a.Reset()
	open = append(open, arena.New[item](a))
	return open[0]
}

func countOnly(a *arena.Arena, token []byte) (int, []string) {
	names := append([]string(nil), a.String(token))
	a.Reset()
	clear(names)
	return len(names), names[:0]
}

func (p *parser) renew() {
	p.items = slab.Slab[item]{}
	p.items.Reset()
}

func renewed(p *parser) int {
	n := p.items.New()
	p.renew()
	return n.size
}

func filledElsewhere(p *parser, text []byte) (*item, error) {
	p.root = p.items.New()
	p.items.Reset()
	err := json.Unmarshal(text, p)
	return p.root, err
}

func exported(a *arena.Arena, token []byte) (*item, string) {
	n, name := arena.Export(a, arena.New[item](a)), arena.Export(a, a.String(token))
	a.Reset()
	return n, name
}

func ofTheCollector(c *slab.Chunks[item], a *arena.Arena) *item {
	n := c.Alloc(item{size: 1})
	a.Reset()
	return n
}

func builderReset(a *arena.Arena, token []byte) string {
	b := arena.Builder{Arena: a}
	b.Write(token)
	s := b.String()
	b.Reset()
	return s
}

func otherArena(a, other *arena.Arena, token []byte) string {
	b := arena.Builder{Arena: a}
	b.Write(token)
	s := b.String()
	other.Reset()
	return s
}

func onTheGoHeap(a *arena.Arena, token []byte) string {
	var names arena.Interner
	s := names.Bytes(token)
	a.Reset()
	return s
}

func putTwice(s *slab.Slab[item]) int {
	one, two := s.Alloc(item{size: 1}), s.Alloc(item{size: 2})
	return one.size + two.size
}

func ofArena(a *arena.Arena, token []byte) *item {
	n := arena.New[item](a)
	n.name = a.String(token)
	return n
}

func nilArena(token []byte) string {
	var a *arena.Arena
	n, m := arena.New[item](a), ofArena(a, token)
	n.name = a.String(token)
	a.Reset()
	return n.name + m.name
}

func nilArenaOfClosure(token []byte) (func() string, string) {
	var a *arena.Arena
	s := a.String(token)
	a.Reset()
	return func() string { return a.String(token) }, s
}

var last, other string

func copiedByStandard(a *arena.Arena, token []byte) (string, string, bool, []byte) {
	name := a.String(token)
	upper, joined := strings.Repeat(name, 2), strings.Join([]string{name, name}, ",")
	_, _, found := strings.Cut(name, "=")
	bytes := []byte(strings.TrimSpace(name))
	a.Reset()
	return upper, joined, found, bytes
}

func countedParts(a *arena.Arena, token []byte) (int, int) {
	all := strings.Split(a.String(token), ",")
	n, _ := strconv.Atoi(all[0])
	a.Reset()
	return len(all), n
}

func partsCloned(a *arena.Arena, token []byte) []string {
	all := strings.Split(a.String(token), ",")
	for i := range all {
		all[i] = strings.Clone(all[i])
	}
	a.Reset()
	return all
}

func closureBefore(a *arena.Arena, token []byte) int {
	name := a.String(token)
	size := func() int { return strings.Count(name, "x") }
	n := size()
	a.Reset()
	return n
}

func closureAssigned(a *arena.Arena, token []byte) func() string {
	name := a.String(token)
	name = strings.Clone(name)
	a.Reset()
	return func() string { return name }
}

func closureAssigns(a *arena.Arena, token []byte) func() string {
	name := a.String(token)
	a.Reset()
	return func() string { name = "new"; return name }
}

func globalCleared(a *arena.Arena, token []byte) {
	last = a.String(token)
	a.Reset()
	last = ""
}

func globalCopied(a *arena.Arena, token []byte) {
	last = a.String(token)
	last = strings.Clone(last)
	other = "x"
	a.Reset()
}

func globalRefilled(a *arena.Arena, token []byte) {
	last = a.String(token)
	a.Reset()
	refill()
}

func refill() { last = "new" }

func (p *parser) clears(token []byte) {
	defer p.renew()
	p.root = p.items.New()
	p.text = p.arena.String(token)
	p.arena.Reset()
	p.text = ""
}

func (p *parser) refills(token []byte) {
	p.text = p.arena.String(token)
	p.arena.Reset()
	p.text = p.arena.String(token)
}

func (p parser) ownCopy(token []byte) {
	p.text = p.arena.String(token)
	p.arena.Reset()
}
