package flat_test

import (
	"fmt"
	"strings"

	"github.com/coppice-go/coppice/flat/internal/cases/web2flat"
)

// A webNode is a model of a node of the schema web2. Its children and links are in the same order
// as those that webPlaces returns.
type webNode struct {
	kind     web2flat.Kind
	name     string
	children []*webNode
	links    []*webNode
	accept   []web2flat.Kind // the kind that each link accepts
}

// A webPlace is a field or list element of a node that refers to a child or to the target of a
// link.
type webPlace struct {
	kind web2flat.Kind // the only kind that it accepts; KindNil if any
	get  func() web2flat.Node
	set  func(n web2flat.Node)
}

// webPlaces returns the fields and list elements of n that refer to children and to the targets of
// links. The order is the same for all nodes with the same list lengths.
func webPlaces(n web2flat.Node) (children, links []webPlace) {
	var p webPlaceList
	switch n.Kind() {
	case web2flat.KindWeb:
		p.web(n.AsWeb())
	case web2flat.KindKnot:
		knot := n.AsKnot()
		p.links = append(p.links,
			webPlace{web2flat.KindWeb, func() web2flat.Node { return knot.On().AsNode() }, func(n web2flat.Node) { knot.SetOn(n.AsWeb()) }},
			webPlace{0, knot.Up, knot.SetUp})
	case web2flat.KindHole:
		hole := n.AsHole()
		p.links = append(p.links, webPlace{web2flat.KindHole, func() web2flat.Node { return hole.In().AsNode() }, func(n web2flat.Node) { hole.SetIn(n.AsHole()) }})
	}
	return p.children, p.links
}

type webPlaceList struct{ children, links []webPlace }

func (p *webPlaceList) web(w web2flat.Web) {
	for i := range w.NumKids() {
		p.children = append(p.children, webPlace{0, func() web2flat.Node { return w.Kid(i) }, func(n web2flat.Node) { w.SetKid(i, n) }})
	}
	for s := range w.Spots {
		p.spot(s)
	}
	p.links = append(p.links, webPlace{0, w.Back, w.SetBack})
	p.children = append(p.children, webPlace{web2flat.KindKnot, func() web2flat.Node { return w.Own().AsNode() }, func(n web2flat.Node) { w.SetOwn(n.AsKnot()) }})
	for i := range w.NumUses() {
		p.links = append(p.links, webPlace{web2flat.KindKnot, func() web2flat.Node { return w.Use(i).AsNode() }, func(n web2flat.Node) { w.SetUse(i, n.AsKnot()) }})
	}
	p.spot(w.Last())
	p.links = append(p.links, webPlace{web2flat.KindHole, func() web2flat.Node { return w.Later().AsNode() }, func(n web2flat.Node) { w.SetLater(n.AsHole()) }})
	for i := range w.NumHoles() {
		p.children = append(p.children, webPlace{web2flat.KindHole, func() web2flat.Node { return w.Hole(i).AsNode() }, func(n web2flat.Node) { w.SetHole(i, n.AsHole()) }})
	}
}

func (p *webPlaceList) spot(s web2flat.Spot) {
	p.links = append(p.links, webPlace{0, s.To, s.SetTo})
	for i := range s.NumMany() {
		p.links = append(p.links, webPlace{0, func() web2flat.Node { return s.ManyAt(i) }, func(n web2flat.Node) { s.SetManyAt(i, n) }})
	}
	for i := range s.NumHolds() {
		p.children = append(p.children, webPlace{0, func() web2flat.Node { return s.Hold(i) }, func(n web2flat.Node) { s.SetHold(i, n) }})
	}
	for m := range s.Marks {
		p.mark(m)
	}
	for i := range 2 {
		p.links = append(p.links, webPlace{0, func() web2flat.Node { return s.Link(i) }, func(n web2flat.Node) { s.SetLink(i, n) }})
	}
	for m := range s.More {
		p.mark(m)
	}
}

func (p *webPlaceList) mark(m web2flat.Mark) {
	for i := range 2 {
		p.links = append(p.links, webPlace{web2flat.KindKnot, func() web2flat.Node { return m.PairAt(i).AsNode() }, func(n web2flat.Node) { m.SetPairAt(i, n.AsKnot()) }})
	}
	p.children = append(p.children, webPlace{0, m.Of, m.SetOf})
	for i := range m.NumAlso() {
		p.links = append(p.links, webPlace{web2flat.KindWeb, func() web2flat.Node { return m.AlsoAt(i).AsNode() }, func(n web2flat.Node) { m.SetAlsoAt(i, n.AsWeb()) }})
	}
}

// webDescription describes the graph below root in text. get returns the kind and name of a node,
// its children, and the targets of its links.
func webDescription[T comparable](root T, get func(n T) (what string, children, links []T)) string {
	var out strings.Builder
	var zero T
	met := map[T]int{}
	var order []T
	var visit func(n T)
	visit = func(n T) {
		if _, is := met[n]; n == zero || is {
			return
		}
		met[n] = len(met) + 1
		order = append(order, n)
		_, children, _ := get(n)
		for _, c := range children {
			visit(c)
		}
	}
	visit(root)
	for _, n := range order {
		what, children, links := get(n)
		fmt.Fprintf(&out, "%d %s:", met[n], what)
		for _, c := range children {
			fmt.Fprintf(&out, " %d", met[c])
		}
		for _, l := range links {
			fmt.Fprintf(&out, " @%d", met[l])
		}
		out.WriteByte('\n')
	}
	return out.String()
}

func describeWeb(root web2flat.Node) string {
	return webDescription(root, func(n web2flat.Node) (what string, children, links []web2flat.Node) {
		c, l := webPlaces(n)
		what = fmt.Sprint(n.Kind())
		if n.Kind() == web2flat.KindKnot {
			what += " " + n.AsKnot().Name()
		}
		for _, p := range c {
			children = append(children, p.get())
		}
		for _, p := range l {
			links = append(links, p.get())
		}
		return what, children, links
	})
}

func describeModel(root *webNode) string {
	return webDescription(root, func(n *webNode) (string, []*webNode, []*webNode) {
		what := fmt.Sprint(n.kind)
		if n.kind == web2flat.KindKnot {
			what += " " + n.name
		}
		return what, n.children, n.links
	})
}
