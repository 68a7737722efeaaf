package put

import (
	"bytes"
	"sync"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
)

type node struct {
	name string
	next *node
	size int
}

var (
	arenas arena.Pool
	slabs  pool.Pool[slab.Slab[node]]
	plainB = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	states sync.Pool
)

type state struct {
	arena arena.Arena
	out   []byte
	seen  []string
	size  int
}

func fresh() *bytes.Buffer {
	b := plainB.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func cutNode() int {
	a := arenas.Get()
	n := arena.New[node](a)
	arenas.Put(a)
	return n.size // want `this \*node is used, and it is memory of what Put in line 41 gave to the pool`
}

func cutString(token []byte) string {
	a := arenas.Get()
	name := a.String(token)
	arenas.Put(a)
	return name // want `this string is used, and it is memory of what Put`
}

func cutClone(token string) bool {
	a := arenas.Get()
	name := a.CloneString(token)
	arenas.Put(a)
	return name == token // want `this string is used`
}

func cutField(token []byte) string {
	a := arenas.Get()
	n := arena.New[node](a)
	n.name = a.String(token)
	s := n.name
	arenas.Put(a)
	return s // want `this string is used`
}

func cutSlab() *node {
	s := slabs.Get()
	n := s.New()
	slabs.Put(s)
	return n // want `this \*node is used`
}

func cutDeferred() *node {
	a := arenas.Get()
	defer arenas.Put(a)
	return arena.New[node](a) // want `this \*node is returned, and it is memory of what the deferred Put in line 77 gives to the pool`
}

func bytesDeferred() []byte {
	b := fresh()
	defer plainB.Put(b)
	b.WriteString("ash")
	return b.Bytes() // want `this \[\]byte is returned, and it is memory of what the deferred Put`
}

func bytesAfter() []byte {
	b := plainB.Get().(*bytes.Buffer)
	b.Reset()
	text := b.Bytes()
	plainB.Put(b)
	return text // want `this \[\]byte is used, and it is memory of what Put`
}

func subSlice() byte {
	b := fresh()
	text := b.Bytes()[1:]
	plainB.Put(b)
	return text[0] // want `this \[\]byte is used`
}

type raw []byte

func converted() raw {
	b := fresh()
	text := raw(b.Bytes())
	plainB.Put(b)
	return text // want `this \[\]byte is used`
}

func nextBytes() []byte {
	b := fresh()
	part := b.Next(3)
	plainB.Put(b)
	return part // want `this \[\]byte is used`
}

type answer struct {
	body []byte
	size int
}

func inStruct() answer {
	b := fresh()
	all := answer{body: b.Bytes()}
	plainB.Put(b)
	return all // want `this \[\]byte is used`
}

func inNewStruct() *answer {
	b := fresh()
	all := &answer{body: b.Bytes()}
	plainB.Put(b)
	return all // want `this \[\]byte is used`
}

func deferredClosure() []byte {
	b := fresh()
	defer func() {
		b.Reset()
		plainB.Put(b)
	}()
	b.WriteString("ash")
	return b.Bytes() // want `this \[\]byte is returned, and it is memory of what the deferred deferredClosure\$1`
}

func (s *state) clear() { s.arena.Reset() }

func recycle(b *bytes.Buffer) {
	if b == nil || b.Cap() > 1<<16 {
		return
	}
	b.Reset()
	plainB.Put(b)
}

func helper() string {
	b := fresh()
	recycle(b)
	return b.String() // want `this value is used after recycle in line \d+ gave it to the pool`
}

func helperDeferred() []byte {
	b := fresh()
	defer recycle(b)
	return b.Bytes() // want `memory of what the deferred recycle`
}

func helperOfHelper() string {
	b := fresh()
	done(b)
	return b.String() // want `used after done`
}

func done(b *bytes.Buffer) { recycle(b) }

func (s *state) free() {
	s.size = 0
	s.seen = s.seen[:0]
	s.out = s.out[:0]
	states.Put(s)
}

func method() int {
	s := states.Get().(*state)
	s.free()
	return len(s.seen[0]) // want `used after free`
}

func arenaInside(token []byte) string {
	s := states.Get().(*state)
	name := s.arena.String(token)
	states.Put(s)
	return name // want `this string is used`
}

func sliceInside() []byte {
	s := states.Get().(*state)
	out := s.out
	states.Put(s)
	return out // want `this value is used after Put`
}

func grownInside() []byte {
	s := states.Get().(*state)
	s.out = append(s.out[:0], "ash"...)
	out := s.out
	s.free()
	return out // want `this value is used after free`
}

func pointerToSlice() []byte {
	p := slices.Get().(*[]byte)
	b := append((*p)[:0], "ash"...)
	*p = b
	slices.Put(p)
	return b // want `this value is used after Put`
}

func twiceField(r *request) {
	buffers.Put(r.body)
	buffers.Put(r.body) // want `put a second time`
}

func keptInField(r *request) int {
	r.body = buffers.Get()
	buffers.Put(r.body)
	return r.body.Len() // want `used after Put`
}

func release(r *request) { buffers.Put(r.body) }

func fieldHelper(r *request) int {
	b := r.body
	release(r)
	return b.Len() // want `used after release`
}

func build(a *arena.Arena, token []byte) *node {
	n := arena.New[node](a)
	n.name = a.String(token)
	if len(token) > 1 {
		n.next = build(a, token[1:])
	}
	return n
}

func built(token []byte) int {
	a := arenas.Get()
	tree := build(a, token)
	arenas.Put(a)
	return tree.size // want `this \*node is used`
}

func goroutineUses() {
	b := fresh()
	go func() { println(b.Len()) }()
	plainB.Put(b) // want `a goroutine that line \d+ started may still use this value`
}

func goroutineArgument(b *bytes.Buffer) {
	go println(b.Len())
	go show(b)
	plainB.Put(b) // want `a goroutine that line \d+ started may still use this value`
}

func show(b *bytes.Buffer) { println(b.Len()) }

func goroutineGroup(b *bytes.Buffer) {
	var all sync.WaitGroup
	defer plainB.Put(b) // want `a goroutine that line \d+ started may still use this value`
	all.Go(func() { println(b.Len()) })
}

func pooledArena() *node {
	var all pool.Pool[arena.Arena]
	a := all.Get()
	defer all.Put(a)
	return arena.Alloc(a, node{size: 2}) // want `this \*node is returned`
}

func builder(text []byte) string {
	a := arenas.Get()
	b := arena.Builder{Arena: a}
	b.Write(text)
	s := b.String()
	arenas.Put(a)
	return s // want `this string is used`
}
