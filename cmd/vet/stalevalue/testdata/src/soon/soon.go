// Package soon has cases for calls that the rules know by name.
package soon

import (
	"github.com/coppice-go/coppice/cmd/vet/stalevalue/testdata/src/soon/arena"
	"github.com/coppice-go/coppice/cmd/vet/stalevalue/testdata/src/soon/slab"
)

func givenBack(a *arena.Arena) string {
	v := a.New()
	a.Put(v)
	return v.Text // want `the \*arena.Value of an arena.Arena is used after Put ended it in line 11`
}

func givenBackByCaller(a *arena.Arena, v *arena.Value) string {
	a.Put(v)
	return v.Text // want `is used after Put`
}

func twice(a *arena.Arena) {
	v := a.New()
	a.Put(v)
	a.Put(v) // want `is used after Put`
}

func list(a *arena.Arena) *arena.Value {
	all := a.List(a.New(), a.New())
	a.Reset()
	return all[0] // want `the \[\]\*arena.Value of an arena.Arena is used after Reset`
}

func built(a *arena.Arena, text []byte) string {
	b := arena.Builder{Arena: a}
	b.Write(text)
	s := b.String()
	a.Reset()
	return s // want `the string of an arena.Builder is used after Reset|the string of an arena.Arena is used after Reset`
}

func builtBytes(a *arena.Arena, text []byte) byte {
	b := arena.NewBuilder(a)
	b.Write(text)
	s := b.Bytes()
	a.Reset()
	return s[0] // want `is used after Reset`
}

func interned(a *arena.Arena, text string) string {
	i := arena.Interner{Arena: a}
	s := i.Intern(text)
	a.Reset()
	return s // want `is used after Reset`
}

func another(a *arena.Arena) string {
	v, w := a.New(), a.New()
	a.Put(v)
	return w.Text
}

func exported(a *arena.Arena) string {
	v := a.Export(a.New())
	a.Reset()
	return v.Text
}

func otherArena(a, other *arena.Arena, text []byte) string {
	b := arena.Builder{Arena: a}
	b.Write(text)
	s := b.String()
	other.Reset()
	return s
}

func chunks(c *slab.Chunks) int {
	n := c.New()
	c.Reset()
	return *n
}

func everyTurn(a *arena.Arena, n int) (last string) {
	for range n {
		v := a.New()
		last = v.Text
		a.Put(v)
	}
	return last
}
