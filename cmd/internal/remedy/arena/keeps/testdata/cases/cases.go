// Package cases has functions that make values. Above each stands what of that goes out, as keeps.Memory has it: of Leaf, of Node, of lists of pointers
// to them, and of bytes.
package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
)

type Leaf struct{ V int }

type Node struct {
	Leaf  *Leaf
	Kids  []*Node
	Part  Leaf
	Maker func() *Leaf
	Any   any
}

func (n *Node) String() string { return fmt.Sprint(n.Leaf.V) }

var separator = []byte(", ")

var fold = func(r rune) rune { return r }

// out: nothing
func TextLists(b []byte) *Node {
	made := []byte("text")
	made = bytes.ReplaceAll(made, separator, separator)
	made = bytes.Map(fold, append(made, b...))
	made = slices.Grow(append(made, bytes.TrimSpace(separator)...), 3)
	return &Node{Any: made}
}

// out: list uint8
func Lists(to [][]byte) *Node {
	made := []byte("text")
	return &Node{Any: slices.Insert(to, 0, made)}
}

// A maker has what a function's callers set.
type maker struct {
	leaf *Leaf
	set  options
}

type options struct{ name string }

// out: nothing
func WithOptions(all ...func(*options)) *Node {
	m := &maker{leaf: &Leaf{1}}
	for _, set := range all {
		set(&m.set)
	}
	return &Node{Leaf: m.leaf}
}

// out: nothing
func WithMakerOptions(all ...func(*maker)) *Node {
	m := &maker{leaf: &Leaf{1}}
	for _, set := range all {
		set(m)
	}
	return &Node{Leaf: m.leaf}
}

func Named(name string) func(*maker) { return func(m *maker) { m.set.name = name } }

// out: value Leaf
func WithKeptOptions(all ...func(*maker, int)) *Node {
	m := &maker{leaf: &Leaf{1}}
	for _, set := range all {
		set(m, 1)
	}
	return &Node{Leaf: m.leaf}
}

func Keeping() func(*maker, int) { return func(m *maker, _ int) { one = m.leaf } }

// out: value maker
func WithTable(all ...func(any)) *Node {
	m := &maker{}
	for _, set := range all {
		set(m)
	}
	return &Node{Leaf: &Leaf{1}}
}

var (
	one   *Leaf
	table = map[string]*Leaf{}
	any_  any
	hook  func(*Leaf)
	store interface{ Store(key, value any) } = new(sync.Map)
)

// A Tree has methods that callers call.
type Tree struct {
	leaf *Leaf
	kids []*Tree
}

var depths = map[*Tree]int{}

func (t *Tree) Depth() int {
	if _, known := depths[t]; !known {
		depths[t] = 1 + len(t.kids)
	}
	return depths[t]
}

// A Box is what callers put results in.
type Box struct{ leaf *Leaf }

func (b *Box) Put(n *Node) { b.leaf = n.Leaf }

// out: value Tree, value Leaf, list *Tree
func WithDepth() *Tree { return &Tree{leaf: &Leaf{1}} }

// out: nothing
func Result() *Node {
	n := &Node{Leaf: &Leaf{1}, Any: &Leaf{2}}
	n.Kids = append(n.Kids, &Node{})
	return n
}

// out: value Leaf
func Variable() *Node {
	n := &Node{Leaf: &Leaf{1}}
	one = n.Leaf
	return n
}

// out: value Leaf
func Table() *Node {
	n := &Node{Leaf: &Leaf{1}}
	put(table, n.Leaf)
	return n
}

func put(to map[string]*Leaf, l *Leaf) { to["a"] = l }

// out: nothing
func OwnTable() *Node {
	n := &Node{Leaf: &Leaf{1}}
	put(map[string]*Leaf{}, n.Leaf)
	return n
}

// out: value Leaf, value Node
func Part() *Node {
	n := &Node{}
	one = &n.Part
	return n
}

// out: value Leaf, value Node, list *Node
func Whole() *Node {
	n := &Node{Leaf: &Leaf{1}}
	n.Kids = append(n.Kids, &Node{})
	any_ = n
	return n
}

// out: value Leaf
func Literal() *Node {
	n := &Node{}
	keep := func(l *Leaf) { one = l }
	n.Maker = func() *Leaf { return &Leaf{3} }
	each(2, func() { keep(n.Maker()) })
	return n
}

// out: nothing
func Counts() *Node {
	n := &Node{Leaf: &Leaf{}}
	each(2, func() { n.Leaf.V++ })
	return n
}

func each(n int, call func()) {
	for range n {
		call()
	}
}

// out: value Leaf
func Hook() *Leaf {
	l := &Leaf{}
	hook(l)
	return l
}

// out: value Leaf
func Parameter(into []*Leaf) *Leaf {
	l := &Leaf{}
	into[0] = l
	return l
}

// out: value Leaf
func Sequence(all func(yield func(*Node) bool)) *Leaf {
	l := &Leaf{}
	for n := range all {
		n.Leaf = l
	}
	return l
}

// out: value Leaf
func Other() *Leaf {
	l := &Leaf{}
	store.Store("a", l)
	return l
}

// out: value Leaf
func Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, "a", &Leaf{})
}

// out: nothing
func Text() (string, error) {
	n := &Node{Leaf: &Leaf{1}}
	var b strings.Builder
	fmt.Fprintf(&b, "%v", n)
	return b.String(), fmt.Errorf("of %v: %w", n, io.EOF)
}

type wrong struct{ at *Leaf }

func (w *wrong) Error() string { return "wrong" }

type broken struct{ first *Leaf }

func (b *broken) Error() string { return "broken" }

func (b *broken) Is(err error) bool {
	if w, ok := err.(*wrong); ok {
		b.first = w.at
	}
	return false
}

var errBroken error = &broken{}

// out: value Leaf
func Is() error {
	err := &wrong{&Leaf{}}
	if errors.Is(errBroken, err) {
		return nil
	}
	return err
}

// out: nothing
func Sorted() []*Leaf {
	var all []*Leaf
	for v := range 3 {
		all = append(all, &Leaf{v})
	}
	slices.SortFunc(all, func(a, b *Leaf) int { return a.V - b.V })
	sort.Slice(all, func(i, k int) bool { return all[i].V < all[k].V })
	return slices.Insert(all, 1, &Leaf{})
}

var least *Leaf

// out: value Leaf
func Least() []*Leaf {
	all := []*Leaf{{1}, {2}}
	slices.SortFunc(all, func(a, b *Leaf) int {
		least = a
		return a.V - b.V
	})
	return all
}

var reader *bytes.Reader

// out: list uint8
func Reader() []byte {
	text := make([]byte, 3)
	reader = bytes.NewReader(text)
	return text
}

// out: list uint8
func Write(to io.Writer) []byte {
	text := make([]byte, 3)
	to.Write(text)
	return text
}

// out: value Leaf
func Array() *Leaf {
	l := &Leaf{}
	set((*[2]*Leaf)(list), l)
	return l
}

var list = make([]*Leaf, 2)

func set(a *[2]*Leaf, l *Leaf) { a[1] = l }

// out: value Leaf
func Panics() (l *Leaf) {
	defer func() {
		if w, ok := recover().(*wrong); ok {
			one = w.at
		}
	}()
	panic(&wrong{&Leaf{}})
}

// out: value Leaf
func Collected() []*Leaf {
	return slices.Collect(func(yield func(*Leaf) bool) { yield(&Leaf{}) })
}

// never: a goroutine may still read a value of the result
func Goes() *Leaf {
	l := &Leaf{}
	go func() { l.V++ }()
	return l
}
