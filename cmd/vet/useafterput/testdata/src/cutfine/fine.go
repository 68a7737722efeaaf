// Package cutfine has what rule useafterput must not report: copies, other owners, goroutines that
// are waited for.
package cutfine

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/slab"
)

type node struct {
	name string
	next *node
	size int
}

type state struct {
	out    []byte
	result []string
	arena  *arena.Arena
	buf    bytes.Buffer
	err    error
}

type cell struct{ value int }

var (
	arenas  arena.Pool
	buffers sync.Pool
	states  sync.Pool
	cutters sync.Pool
)

func text() string {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	return b.String() // a copy
}

func copies() ([]byte, string) {
	b := buffers.Get().(*bytes.Buffer)
	one, two := bytes.Clone(b.Bytes()), string(b.Bytes())
	buffers.Put(b)
	return one, two
}

func appended(dst []byte) []byte {
	b := buffers.Get().(*bytes.Buffer)
	dst = append(dst, b.Bytes()...)
	buffers.Put(b)
	return dst
}

func clonedByAppend() []byte {
	p := buffers.Get().(*[]byte)
	out := append([]byte(nil), *p...)
	*p = (*p)[:0]
	buffers.Put(p)
	return out
}

func clonedWithFullSlice() []byte {
	s := buffers.Get().([]byte)
	out := append(s[:0:0], s...)
	buffers.Put(s)
	return out
}

func number() (int, bool) {
	a := arenas.Get()
	defer arenas.Put(a)
	n := arena.New[node](a)
	n.size = 2
	return n.size, n.next == nil
}

func clones(token []byte) (string, []int) {
	a := arenas.Get()
	name, all := strings.Clone(a.String(token)), slices.Clone(arena.Make[int](a, 3))
	arenas.Put(a)
	return name, all
}

func stringOfOthers(token string) string {
	a := arenas.Get()
	n := arena.New[node](a)
	n.name = token // the caller's
	s := n.name
	arenas.Put(a)
	return s
}

func unknownString(a *arena.Arena, fill func(*node)) string {
	n := arena.New[node](a)
	fill(n)
	s := n.name
	arenas.Put(a)
	return s
}

func neverReset() *cell {
	s := cutters.Get().(*slab.Slab[cell]) // nobody resets it: each cell is its owner's for ever
	c := s.New()
	cutters.Put(s)
	return c
}

func taken() []byte {
	s := states.Get().(*state)
	s.out = append(s.out[:0], "ash"...)
	out := s.out
	s.out = nil
	states.Put(s)
	return out
}

func takenByReset() []byte {
	s := states.Get().(*state)
	out := s.out
	s.reset()
	states.Put(s)
	return out
}

func (s *state) reset() { *s = state{} }

func notReused() []string {
	s := states.Get().(*state)
	result := s.result // nobody writes into this slice again
	states.Put(s)
	return result
}

func failure() error {
	s := states.Get().(*state)
	err := s.err
	states.Put(s)
	return err
}

func lentArena(a *arena.Arena) *node {
	s := states.Get().(*state)
	s.arena = a
	n := arena.New[node](s.arena)
	s.arena = nil
	states.Put(s)
	return n
}

func lentByHelper(a *arena.Arena) *node {
	s := begin(a)
	n := arena.New[node](s.arena)
	states.Put(s)
	return n
}

func begin(a *arena.Arena) *state {
	s := states.Get().(*state)
	s.arena = a
	return s
}

func replacedBuffer() []byte {
	s := states.Get().(*state)
	out := s.buf.Bytes()
	s.buf = bytes.Buffer{}
	states.Put(s)
	return out
}

func sometimes(b *bytes.Buffer, last bool) {
	if last {
		buffers.Put(b)
	}
}

func conditionalHelper() int {
	b := buffers.Get().(*bytes.Buffer)
	sometimes(b, false)
	return b.Len()
}

type counted struct {
	bytes.Buffer
	refs int
}

func (c *counted) drop() {
	if c.refs--; c.refs == 0 {
		buffers.Put(c)
	}
}

func stillReferenced(c *counted) int {
	c.drop()
	return c.Len()
}

func (s *state) swap() {
	s.arena = new(arena.Arena)
	arenas.Put(s.arena)
}

func swapped(s *state) *node {
	a := s.arena
	s.swap()
	return arena.New[node](a)
}

func replacedField(s *state) int {
	buffers.Put(s.arena)
	s.arena = new(arena.Arena)
	return arena.New[node](s.arena).size
}

func advanced(s *state) int {
	buffers.Put(s.arena)
	next(s)
	return arena.New[node](s.arena).size
}

func next(s *state) { s.arena = new(arena.Arena) }

func unlocked(mu *sync.Mutex, s *state) int {
	buffers.Put(s.arena)
	mu.Unlock() // another goroutine may set it
	mu.Lock()
	return arena.New[node](s.arena).size
}

func otherName(s, other *state) int {
	buffers.Put(s.arena)
	other.arena = new(arena.Arena) // other may be s
	return arena.New[node](s.arena).size
}

func waitedFor() {
	b := buffers.Get().(*bytes.Buffer)
	done := make(chan bool)
	go func() { println(b.Len()); close(done) }()
	<-done
	buffers.Put(b)
}

func waitGroup() {
	b := buffers.Get().(*bytes.Buffer)
	var all sync.WaitGroup
	all.Go(func() { println(b.Len()) })
	all.Wait()
	buffers.Put(b)
}

func deferredWait() {
	b := buffers.Get().(*bytes.Buffer)
	var all sync.WaitGroup
	defer buffers.Put(b)
	defer all.Wait()
	all.Go(func() { println(b.Len()) })
}

func goroutinePuts() {
	b := buffers.Get().(*bytes.Buffer)
	go func() { defer buffers.Put(b); println(b.Len()) }()
}

func goroutineOfAnother() {
	a, b := buffers.Get().(*bytes.Buffer), buffers.Get().(*bytes.Buffer)
	go func() { println(a.Len()) }()
	buffers.Put(b)
}

func everyTurn(tokens [][]byte) (sum int) {
	for _, token := range tokens {
		a := arenas.Get()
		n := arena.New[node](a)
		n.name = a.String(token)
		sum += len(n.name)
		arenas.Put(a)
	}
	return sum
}

type conn struct{ handle *[]byte }

func grown(c *conn) byte {
	old := c.handle
	b := *old
	c.handle = new([]byte)
	more := *c.handle
	copy(more, b)
	buffers.Put(old)
	return more[0]
}

func grownInLoop(c *conn, n int) []byte {
	b := *c.handle
	for range n {
		old := c.handle
		c.handle = buffers.Get().(*[]byte)
		more := *c.handle
		copy(more, b)
		b = more
		buffers.Put(old)
	}
	return b
}

type link struct {
	next *link
	size int
}

func (l *link) recycle() {
	if l != nil {
		l.next = nil
		buffers.Put(l)
	}
}

type queue struct{ head *link }

func (q *queue) remove(pre, l *link) { q.head = l.next }

func (q *queue) process(eos bool) {
	removed := 0
	remove := func(pre, l *link) *link {
		removed++
		next := l.next
		q.remove(pre, l)
		l.recycle()
		return next
	}
	var pre *link
	for l := q.head; l != nil; {
		if l.size > 8 || eos {
			if l.size > 9 {
				l = remove(pre, l)
				continue
			}
			if eos {
				l = remove(pre, l)
				continue
			}
		}
		if l.size > 2 {
			l = remove(pre, l)
			continue
		}
		pre, l = l, l.next
	}
}

func (s *state) renew() {
	s.out = make([]byte, 0, 64)
	states.Put(s)
}

func takenByHelper() []byte {
	s := states.Get().(*state)
	s.out = append(s.out[:0], "ash"...)
	out := s.out
	s.renew()
	return out
}

func takenByDefer() []byte {
	s := states.Get().(*state)
	defer func() {
		s.out = make([]byte, 0, 64)
		states.Put(s)
	}()
	return s.out
}

func (s *state) renewBuffer() {
	s.buf = bytes.Buffer{}
	states.Put(s)
}

func bytesTakenByHelper() []byte {
	s := states.Get().(*state)
	s.buf.Reset()
	out := s.buf.Bytes()
	s.renewBuffer()
	return out
}

func (s *state) resetAndPut() {
	s.reset()
	states.Put(s)
}

func takenByBoth() []byte {
	s := states.Get().(*state)
	defer s.resetAndPut()
	return s.buf.Bytes()
}

func exported(token []byte) *node {
	a := arenas.Get()
	defer arenas.Put(a)
	n := arena.New[node](a)
	n.name = a.String(token)
	return arena.Export(a, n)
}

func chunks() *cell {
	c := cutters.Get().(*slab.Chunks[cell])
	n := c.New()
	cutters.Put(c)
	return n
}

func builderWithoutArena(text []byte) string {
	a := arenas.Get()
	var b arena.Builder
	b.Write(text)
	s := b.String()
	arenas.Put(a)
	return s
}
