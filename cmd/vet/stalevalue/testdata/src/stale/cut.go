package stale

import (
	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

type item struct {
	name     string
	next     *item
	children []*item
	size     int
}

type parser struct {
	arena *arena.Arena
	items slab.Slab[item]
	root  *item
	text  string
}

func fieldOfItem(a *arena.Arena, token []byte) string {
	n := arena.New[item](a)
	n.name = a.String(token)
	s := n.name
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset ended it in line 26`
}

func heldInField(p *parser) *item {
	p.root = arena.New[item](p.arena)
	p.arena.Reset()
	return p.root // want `the \*item of an arena.Arena is used after Reset`
}

func heldInFieldOfValue(p *parser) int {
	p.root = p.items.New()
	p.root.size = 2
	p.items.Reset()
	return p.root.size // want `the \*item of a slab.Slab is used after Reset`
}

func ownerInField(p *parser) int {
	n := arena.New[item](p.arena)
	p.arena.Reset()
	return n.size // want `is used after Reset`
}

func compares(a *arena.Arena, token []byte) bool {
	name := a.String(token)
	a.Reset()
	return name == "ash" // want `the string of an arena.Arena is used after Reset`
}

func (p *parser) reset() {
	p.root = nil
	p.arena.Reset()
}

func resetByMethod(p *parser) int {
	n := arena.New[item](p.arena)
	p.reset()
	return n.size // want `the \*item of an arena.Arena is used after Reset in reset ended it`
}

func finish(a *arena.Arena) {
	if a != nil {
		a.Reset()
	}
}

func resetByFunction(a *arena.Arena) int {
	n := arena.New[item](a)
	finish(a)
	return n.size // want `is used after Reset in finish ended it in line 74`
}

func resetDeferred(a *arena.Arena) *item {
	defer finish(a)
	return arena.New[item](a) // want `is returned, and the deferred Reset in finish ends it`
}

func resetInClosure(a *arena.Arena) *item {
	defer func() { a.Reset() }()
	return arena.New[item](a) // want `is returned, and the deferred Reset in resetInClosure\$1 ends it`
}

func parse(a *arena.Arena, token []byte) (*item, error) {
	if len(token) == 0 {
		return nil, nil
	}
	n := arena.New[item](a)
	n.name = a.String(token)
	return n, nil
}

func parsed(a *arena.Arena, token []byte) (int, error) {
	n, err := parse(a, token)
	if err != nil {
		return 0, err
	}
	a.Reset()
	return n.size, nil // want `the \*item of an arena.Arena is used after Reset`
}

// sum and term call each other.
func (p *parser) sum(depth int) *item {
	left := p.term(depth)
	for range depth {
		n := p.items.New()
		n.next = left
		left = n
	}
	return left
}

func (p *parser) term(depth int) *item {
	if depth > 0 {
		return p.sum(depth - 1)
	}
	return p.items.New()
}

func recursive(p *parser) int {
	n := p.sum(3)
	p.items.Reset()
	return n.size // want `the \*item of a slab.Slab is used after Reset`
}

type reader struct{ arena *arena.Arena }

func (r *reader) item() *item { return arena.New[item](r.arena) }

func ownReader(a *arena.Arena) int {
	r := reader{arena: a}
	n := r.item()
	a.Reset()
	return n.size // want `is used after Reset`
}

type pair struct {
	name string
	size int
}

func inStruct(a *arena.Arena, token []byte) pair {
	p := pair{name: a.String(token), size: len(token)}
	a.Reset()
	return p // want `the string of an arena.Arena is used after Reset`
}

func fieldOfStruct(a *arena.Arena, token []byte) string {
	p := pair{name: a.String(token)}
	q := p
	a.Reset()
	return q.name // want `the string of an arena.Arena is used after Reset`
}

func inNewStruct(a *arena.Arena, token []byte) *pair {
	p := &pair{name: a.String(token)}
	a.Reset()
	return p // want `the string of an arena.Arena is used after Reset`
}

type label string

func converted(a *arena.Arena, token []byte) label {
	name := label(a.String(token))[1:]
	a.Reset()
	return name // want `the string of an arena.Arena is used after Reset`
}

func (n *item) first() string { return n.name }

func getter(a *arena.Arena, token []byte) string {
	n := arena.New[item](a)
	n.name = a.String(token)
	s := n.first()
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func head(b []byte) []byte { return b[:2] }

func part(a *arena.Arena) byte {
	b := head(arena.Make[byte](a, 8))
	a.Reset()
	return b[0] // want `the \[\]byte of an arena.Arena is used after Reset`
}

func list(a *arena.Arena, tokens [][]byte) []string {
	var names []string
	for _, token := range tokens {
		names = append(names, a.String(token))
	}
	a.Reset()
	return names // want `the string of an arena.Arena is used after Reset`
}

func listed(a *arena.Arena, tokens [][]byte) (out string) {
	var names []string
	for _, token := range tokens {
		names = append(names, a.String(token))
	}
	a.Reset()
	for _, name := range names {
		out += name // want `the string of an arena.Arena is used after Reset`
	}
	return out
}

func returnedEarlier(a *arena.Arena, token []byte) []*item {
	defer a.Reset()
	all := []*item{}
	all = append([]*item(nil), arena.New[item](a))
	return all // want `the \*item of an arena.Arena is returned, and the deferred Reset ends it`
}

func putStale(a *arena.Arena) int {
	n := arena.Alloc(a, item{size: 1})
	a.Reset()
	return n.size // want `the \*item of an arena.Arena is used after Reset`
}

func slabPut(s *slab.Slab[item]) int {
	n := s.Alloc(item{size: 1})
	s.Reset()
	return n.size // want `the \*item of a slab.Slab is used after Reset`
}

func listStale(a *arena.Arena, one, two *item) *item {
	all := arena.SliceOf(a, one, two)
	a.Reset()
	return all[0] // want `the \[\]\*item of an arena.Arena is used after Reset`
}

func builder(a *arena.Arena, token []byte) string {
	b := arena.Builder{Arena: a}
	b.Write(token)
	s := b.String()
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func builderOfCaller(b *arena.Builder) byte {
	s := b.Bytes()
	b.Arena.Reset()
	return s[0] // want `the \[\]byte of an arena.Arena is used after Reset`
}

func interned(a *arena.Arena, token []byte) string {
	names := &arena.Interner{Arena: a}
	s := names.Bytes(token)
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}
