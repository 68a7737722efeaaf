package stale

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"unsafe"

	"github.com/coppice-go/coppice/arena"
)

// What functions of the standard library cut from a string or a slice is the same memory.

func trimmed(a *arena.Arena, token []byte) string {
	s := strings.TrimSpace(a.String(token))
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func trimmedTwice(a *arena.Arena, token []byte) string {
	s := strings.TrimPrefix(strings.ToValidUTF8(a.String(token), ""), "x")
	t := strings.TrimSuffix(strings.TrimLeft(a.String(token), "0"), "x")
	a.Reset()
	return s + t // want `the string of an arena.Arena is used after Reset`
}

func cutString(a *arena.Arena, token []byte) string {
	_, value, ok := strings.Cut(a.String(token), "=")
	a.Reset()
	if !ok {
		return ""
	}
	return value // want `the string of an arena.Arena is used after Reset`
}

func splitString(a *arena.Arena, token []byte) string {
	all := strings.Split(a.String(token), ",")
	a.Reset()
	return all[0] // want `the string of an arena.Arena is used after Reset`
}

func splitReturned(a *arena.Arena, token []byte) []string {
	all := strings.Fields(a.String(token))
	a.Reset()
	return all // want `the string of an arena.Arena is used after Reset`
}

func splitRanged(a *arena.Arena, token []byte) (n int) {
	all := strings.SplitN(a.String(token), ",", 3)
	a.Reset()
	for _, s := range all {
		n += strings.Count(s, "x") // want `the string of an arena.Arena is used after Reset`
	}
	return n
}

func trimmedBytes(a *arena.Arena) byte {
	b := bytes.TrimSpace(arena.Make[byte](a, 8))
	a.Reset()
	return b[0] // want `the \[\]byte of an arena.Arena is used after Reset`
}

func splitBytes(a *arena.Arena) byte {
	all := bytes.Split(arena.Make[byte](a, 8), []byte(","))
	a.Reset()
	return all[1][0] // want `the \[\]byte of an arena.Arena is used after Reset`
}

func compacted(a *arena.Arena) int {
	all := slices.Compact(arena.Make[int](a, 8))
	a.Reset()
	return all[0] // want `the \[\]int of an arena.Arena is used after Reset`
}

func extension(a *arena.Arena, token []byte) string {
	s := path.Ext(a.String(token))
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func matched(a *arena.Arena, token []byte, pattern *regexp.Regexp) string {
	s := pattern.FindString(a.String(token))
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func viewed(a *arena.Arena) string {
	b := arena.Make[byte](a, 8)
	s := unsafe.String(unsafe.SliceData(b), len(b))
	a.Reset()
	return s // want `the \[\]byte of an arena.Arena is used after Reset`
}

func trim(s string) string { return strings.TrimSpace(s) }

func trimmedByFunction(a *arena.Arena, token []byte) string {
	s := trim(a.String(token))
	a.Reset()
	return s // want `the string of an arena.Arena is used after Reset`
}

func trimmedInField(a *arena.Arena, token []byte) *pair {
	p := &pair{name: strings.TrimSpace(a.String(token))}
	a.Reset()
	return p // want `the string of an arena.Arena is used after Reset`
}

// A closure reads what it has captured when it is called.

func closure(a *arena.Arena, token []byte) func() string {
	name := a.String(token)
	a.Reset()
	return func() string { return name } // want `the string of an arena.Arena is used after Reset`
}

func closureEarlier(a *arena.Arena, token []byte) func() string {
	defer a.Reset()
	name := strings.TrimSpace(a.String(token))
	f := func() string { return name }
	return f // want `the string of an arena.Arena is returned, and the deferred Reset ends it`
}

func closureCalled(a *arena.Arena, token []byte) string {
	name := a.String(token)
	f := func() string { return name }
	a.Reset()
	return f() // want `the string of an arena.Arena is used after Reset`
}

func closurePassed(a *arena.Arena, token []byte, all []string) bool {
	name := a.String(token)
	a.Reset()
	return slices.ContainsFunc(all, func(s string) bool { return s == name }) // want `the string of an arena.Arena is used after Reset`
}

func methodValue(a *arena.Arena) func() string {
	n := arena.New[item](a)
	a.Reset()
	return n.first // want `the \*item of an arena.Arena is used after Reset`
}

// What stays in a variable of the package, or in the receiver, outlives the function.

var last string

var recent struct{ item *item }

func inGlobal(a *arena.Arena, token []byte) {
	last = a.String(token)
	a.Reset() // want `the string of an arena.Arena stays in last, and Reset ends it here; copy it, or set last to another value`
}

func inGlobalDeferred(a *arena.Arena, token []byte) int {
	defer a.Reset() // want `the \*item of an arena.Arena stays in recent.item, and Reset ends it here`
	recent.item = arena.New[item](a)
	return recent.item.size
}

func globalUsed(a *arena.Arena, token []byte) string {
	last = strings.TrimSpace(a.String(token))
	a.Reset()   // want `stays in last`
	return last // want `the string of an arena.Arena is used after Reset`
}

func (p *parser) keeps(token []byte) int {
	p.text = p.arena.String(token)
	n := len(p.text)
	p.arena.Reset() // want `the string of an arena.Arena stays in p.text, and Reset ends it here`
	return n
}

func (p *parser) keepsPart(token []byte) {
	p.text, _, _ = strings.Cut(p.arena.String(token), ":")
	if len(token) > 9 {
		p.arena.Reset() // want `the string of an arena.Arena stays in p.text, and Reset ends it here`
	}
}

func (p *parser) keepsEachTurn(tokens [][]byte) {
	for range tokens {
		p.root = p.items.New()
		p.items.Reset() // want `the \*item of a slab.Slab stays in p.root, and Reset ends it here`
	}
}

func closureOfTwo(a *arena.Arena, token []byte, short bool) func() string {
	defer a.Reset()
	name := a.String(token)
	if short {
		return func() string { return "" }
	}
	return func() string { return name } // want `the string of an arena.Arena is returned, and the deferred Reset ends it`
}
