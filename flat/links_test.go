package flat_test

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/flat"
	"github.com/coppice-go/coppice/flat/internal/cases/links"
	"github.com/coppice-go/coppice/flat/internal/cases/linksflat"
	"github.com/coppice-go/coppice/flat/internal/random"
)

var linkVariants = []any{(*links.Scope)(nil), (*links.Var)(nil), (*links.Use)(nil), (*links.Group)(nil)}

// linkedScopes returns a tree with all sorts of links: forward and backward links, links to
// parents, to the same node, to nodes held by value, links in lists and structs, and nil links.
func linkedScopes() *links.Scope {
	root, inner := &links.Scope{}, &links.Scope{}
	inner.Up = root
	root.Vars = []links.Var{{Name: "a", Of: root}, {Name: "b", Of: inner}}
	late := &links.Use{Var: &root.Vars[0]}
	group := &links.Group{Scope: inner, Items: []links.Node{late, &links.Use{}}}
	group.Uses, group.Pair = []*links.Use{late, nil, late}, [2]links.Node{group, late}
	inner.Vars = []links.Var{{Name: "c", Of: inner, First: group}}
	inner.Body = []links.Node{&links.Use{Var: &root.Vars[1]}, &links.Use{Var: &inner.Vars[0]}}
	root.Vars[0].First = inner.Body[0]
	root.Body = []links.Node{group, &links.Use{Var: &inner.Vars[0]}}
	root.Marks = []links.Mark{{At: 1, Node: late, Vars: []*links.Var{&inner.Vars[0], nil}}, {}, {Owned: &links.Use{Var: &root.Vars[0]}, Vars: []*links.Var{&root.Vars[1]}}}
	root.Last = links.Mark{At: -1, Vars: []*links.Var{&root.Vars[0]}, Node: group}
	return root
}

func TestLinks(t *testing.T) {
	tree := must(linksflat.FromTree(linkedScopes(), flat.LoadLimits{}))
	for name, one := range map[string]linksflat.Tree{"built": tree, "loaded": must(linksflat.Load(fileOf(tree.Flat()), flat.LoadLimits{})), "compact": tree.Compact(),
		"cloned": tree.Clone(), "rewritten": must(linksflat.NewBuilder(flat.BuilderOptions{}).Rewrite(tree, linksflat.Rewriter{}))} {
		if back := must(linksflat.ToTree(one, flat.LoadLimits{})); !reflect.DeepEqual(back, linkedScopes()) {
			t.Errorf("%s: %v", name, one)
		}
		root := one.Root()
		group := root.BodyAt(0).AsGroup()
		inner := group.Scope()
		if inner.Up() != root || root.Var(0).Of() != root || root.Var(1).Of() != inner || group.PairAt(0) != group.AsNode() || group.Use(0) != group.Item(0).AsUse() ||
			!group.Use(1).IsNil() || root.Mark(0).Var(0) != inner.Var(0) || root.Last().Node() != group.AsNode() || inner.BodyAt(1).AsUse().Var() != inner.Var(0) {
			t.Errorf("%s: %v", name, one)
		}
	}
	if text := tree.String(); strings.Count(text, "Scope{") != 2 || !strings.Contains(text, "Up: #") {
		t.Error(text)
	}
}

// TestLinksByHand verifies that a setter can set a forward link once the target exists, even after
// Finish.
func TestLinksByHand(t *testing.T) {
	b := linksflat.NewBuilder(flat.BuilderOptions{})
	use := b.Use(linksflat.Var{}).AsUse()
	v := b.Var("v", linksflat.Scope{}, use.AsNode())
	use.SetVar(v)
	root := b.Scope(linksflat.ScopeFields{Vars: []linksflat.Var{v}, Body: []linksflat.Node{use.AsNode()}, Last: linksflat.MarkFields{Vars: []linksflat.Var{v, {}}}})
	v.SetOf(root)
	tree := must(b.Finish(root))
	tree = must(linksflat.Load(fileOf(tree.Flat()), flat.LoadLimits{}))
	got := tree.Root()
	if got.Var(0).Of() != got || got.Var(0).First() != got.BodyAt(0) || got.BodyAt(0).AsUse().Var() != got.Var(0) || got.Last().Var(0) != got.Var(0) {
		t.Error(tree)
	}
	got.Last().SetVar(1, got.Var(0))
	got.Var(0).SetOf(linksflat.Scope{})
	got.Last().SetNode(got.BodyAt(0))
	if got.Last().Var(1) != got.Var(0) || !got.Var(0).Of().IsNil() || got.Last().Node() != got.BodyAt(0) {
		t.Error(tree)
	}
	other := must(b.Finish(b.Scope(linksflat.ScopeFields{})))
	mustPanic(t, "linksflat.Var.SetOf: want nil or one of Scope of this tree; found Scope #1 of another tree", func() { got.Var(0).SetOf(other.Root()) })
	mustPanic(t, "linksflat.Builder.Var: want nil or one of Scope as the link, returned by this Builder since it began the tree; found Scope #1 of another tree", func() {
		b.Var("w", other.Root(), linksflat.Node{})
	})
	b.Use(linksflat.Var{}) // the Builder is still usable
	gone := other.Root()
	other.Free()
	mustPanic(t, "a node of a tree that was freed", func() { b.Var("w", gone, linksflat.Node{}) })
}

// TestRewriteMapsLinks verifies that links to dropped nodes become nil, and that links to replaced
// nodes lead to their replacements.
func TestRewriteMapsLinks(t *testing.T) {
	tree := must(linksflat.FromTree(linkedScopes(), flat.LoadLimits{}))
	b := linksflat.NewBuilder(flat.BuilderOptions{})
	seen := 0
	got := must(b.Rewrite(tree, linksflat.Rewriter{
		Var: func(b *linksflat.Builder, n linksflat.Var) linksflat.Var {
			return b.Var(n.Name()+"'", n.Of(), n.First())
		},
		Group: func(b *linksflat.Builder, n linksflat.Group) linksflat.Node {
			if n.Use(0) == n.Item(0).AsUse() && n.PairAt(0) == n.AsNode() {
				seen++ // the links backward and to the node itself are set
			}
			return n.Item(0) // drops the scope and its variables
		},
		Scope: func(b *linksflat.Builder, n linksflat.Scope) linksflat.Scope {
			if !n.Up().IsNil() {
				t.Errorf("a link forward is %v during the pass", n.Up())
			}
			return n
		},
	}))
	got = must(linksflat.Load(fileOf(got.Flat()), flat.LoadLimits{}))
	root := got.Root()
	late := root.BodyAt(0).AsUse()
	if seen != 1 || root.Var(0).Name() != "a'" || root.Var(1).Of() != (linksflat.Scope{}) || late.Var() != root.Var(0) || !root.BodyAt(1).AsUse().Var().IsNil() ||
		root.Mark(0).Node() != late.AsNode() || !root.Mark(0).Var(0).IsNil() || root.Mark(2).Var(0) != root.Var(1) || root.Last().Node() != late.AsNode() {
		t.Errorf("%v", got)
	}
	if !root.Var(0).First().IsNil() { // a new node keeps the links it was made with, and this forward link was nil
		t.Errorf("%v", got)
	}
}

// TestRewriteMapsLinksToOneself verifies that if a node that links to itself is wrapped, its link
// leads to the wrapper, like all other links to the node. A link from the wrapper to the node
// remains unchanged.
func TestRewriteMapsLinksToOneself(t *testing.T) {
	for name, rewrite := range map[string]func(*linksflat.Builder, linksflat.Tree, linksflat.Rewriter) (linksflat.Tree, error){
		"Rewrite": (*linksflat.Builder).Rewrite, "RewriteInPlace": (*linksflat.Builder).RewriteInPlace,
	} {
		b := linksflat.NewBuilder(flat.BuilderOptions{})
		use := b.Use(linksflat.Var{})
		group := b.Group(linksflat.Scope{}, []linksflat.Use{use.AsUse(), {}}, [2]linksflat.Node{}, []linksflat.Node{use}).AsGroup()
		group.SetPairAt(0, group.AsNode())
		inner := b.Scope(linksflat.ScopeFields{})
		inner.SetUp(inner)
		root := b.Scope(linksflat.ScopeFields{Body: []linksflat.Node{group.AsNode()}, Inner: inner, Marks: []linksflat.MarkFields{{Node: group.AsNode()}}})
		root.SetUp(root)
		tree := must(b.Finish(root))
		got := must(rewrite(b, tree, linksflat.Rewriter{
			Group: func(b *linksflat.Builder, n linksflat.Group) linksflat.Node {
				if n.PairAt(0) != n.AsNode() {
					t.Errorf("%s: a link to oneself is %v during the pass", name, n.PairAt(0))
				}
				return b.Group(linksflat.Scope{}, nil, [2]linksflat.Node{{}, n.AsNode()}, []linksflat.Node{n.AsNode()})
			},
			Scope: func(b *linksflat.Builder, n linksflat.Scope) linksflat.Scope {
				if n.NumBody() > 0 {
					return n
				}
				return b.Scope(linksflat.ScopeFields{Inner: n})
			},
		}))
		got = must(linksflat.Load(fileOf(got.Compact().Flat()), flat.LoadLimits{}))
		root = got.Root()
		wrapper := root.BodyAt(0).AsGroup()
		wrapped := wrapper.Item(0).AsGroup()
		if wrapped.PairAt(0) != wrapper.AsNode() || wrapper.PairAt(1) != wrapped.AsNode() || root.Mark(0).Node() != wrapper.AsNode() || wrapped.Use(0) != wrapped.Item(0).AsUse() {
			t.Errorf("%s: %v", name, got)
		}
		if root.Up() != root || root.Inner().Inner().Up() != root.Inner() {
			t.Errorf("%s: scopes: %v", name, got)
		}
	}
}

// TestRewriteLinksAgainstModel rewrites random graphs of links and verifies that each result equals
// that of the same pass over a pointer tree. In a pointer tree, nodes do not move, so links need no
// mapping.
func TestRewriteLinksAgainstModel(t *testing.T) {
	b := linksflat.NewBuilder(flat.BuilderOptions{})
	for seed := range uint64(400) {
		x := random.Tree[*links.Scope](rand.New(rand.NewPCG(seed, 27)), int(seed)%40, linkVariants)
		if x == nil {
			continue
		}
		tree := must(linksflat.FromTree(x, flat.LoadLimits{}))
		got := must(b.Rewrite(tree, linksflat.Rewriter{
			Use: func(b *linksflat.Builder, n linksflat.Use) linksflat.Node {
				if n.AsAny().Kind() == linksflat.KindUse && seed%3 == 0 {
					return linksflat.Node{}
				}
				return n.AsNode()
			},
			Group: func(b *linksflat.Builder, n linksflat.Group) linksflat.Node {
				switch {
				case n.NumItems() > 0 && seed%2 == 0:
					return n.Item(0)
				case n.NumItems() > 1:
					return n.Item(1)
				}
				return n.AsNode()
			},
		}))
		m := linkModel{drop: seed%3 == 0, first: seed%2 == 0, to: map[any]links.Node{}, kept: map[any]bool{}}
		m.scope(x)
		m.keep(reflect.ValueOf(x))
		m.relink(reflect.ValueOf(x))
		want := must(linksflat.FromTree(x, flat.LoadLimits{}))
		again, err := linksflat.Load(fileOf(got.Flat()), flat.LoadLimits{})
		if err != nil || !reflect.DeepEqual(fileOf(again.Compact().Flat()), fileOf(want.Compact().Flat())) {
			t.Fatalf("tree %d: %v\n%v\nwant\n%v", seed, err, got, want)
		}
	}
}

// A linkModel performs the pass of TestRewriteLinksAgainstModel on a pointer tree.
type linkModel struct {
	drop, first bool
	to          map[any]links.Node // the replacement of each visited node
	kept        map[any]bool       // pointers to the nodes that remain in the tree
}

func (m *linkModel) scope(s *links.Scope) {
	if s == nil {
		return
	}
	for i := range s.Body {
		s.Body[i] = m.node(s.Body[i])
	}
	for i := range s.Marks {
		s.Marks[i].Owned = m.node(s.Marks[i].Owned)
	}
	s.Last.Owned = m.node(s.Last.Owned)
	m.scope(s.Inner)
}

func (m *linkModel) node(n links.Node) (to links.Node) {
	defer func() { m.to[n] = to }()
	switch n := n.(type) {
	case *links.Use:
		if m.drop {
			return nil
		}
	case *links.Group:
		m.scope(n.Scope)
		for i := range n.Items {
			n.Items[i] = m.node(n.Items[i])
		}
		switch {
		case len(n.Items) > 0 && m.first:
			return n.Items[0]
		case len(n.Items) > 1:
			return n.Items[1]
		}
	}
	return n
}

// keep notes the nodes below v, without following links.
func (m *linkModel) keep(v reflect.Value) { eachField(v, m.note, func(reflect.Value) {}) }

func (m *linkModel) note(v reflect.Value) {
	if v.CanAddr() {
		m.kept[v.Addr().Interface()] = true
	}
}

// relink redirects the links below v to the replacements of their targets, or sets them to nil.
func (m *linkModel) relink(v reflect.Value) {
	eachField(v, func(reflect.Value) {}, func(link reflect.Value) {
		if link.IsNil() {
			return
		}
		target := link.Interface()
		if now, is := m.to[target]; is {
			if now == nil || !reflect.TypeOf(now).AssignableTo(link.Type()) {
				link.SetZero()
				return
			}
			target = now
			link.Set(reflect.ValueOf(now))
		}
		if !m.kept[target] {
			link.SetZero()
		}
	})
}

// eachField calls node for each struct below v, and link for each link in these structs.
func eachField(v reflect.Value, node, link func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() {
			eachField(v.Elem(), node, link)
		}
	case reflect.Struct:
		node(v)
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("flat") == "ref" {
				eachLink(v.Field(i), link)
			} else {
				eachField(v.Field(i), node, link)
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			eachField(v.Index(i), node, link)
		}
	}
}

func eachLink(v reflect.Value, link func(reflect.Value)) {
	if k := v.Kind(); k != reflect.Slice && k != reflect.Array {
		link(v)
		return
	}
	for i := range v.Len() {
		eachLink(v.Index(i), link)
	}
}

// TestLinksOutOfTheTree verifies that FromTree refuses a link to a value outside the tree, and that
// links to a node that was detached from its parent become nil.
func TestLinksOutOfTheTree(t *testing.T) {
	x := &links.Scope{Up: &links.Scope{}}
	if _, err := linksflat.FromTree(x, flat.LoadLimits{}); !errors.Is(err, flat.ErrInvalid) || !strings.Contains(err.Error(), "a link leads to a *links.Scope that is not in the tree") {
		t.Error(err)
	}
	tree := must(linksflat.FromTree(linkedScopes(), flat.LoadLimits{})) // below, a node loses its parent
	tree.Root().SetBodyAt(0, linksflat.Node{})
	back := must(linksflat.ToTree(tree, flat.LoadLimits{}))
	if back.Marks[0].Node != nil || back.Vars[1].Of != nil || back.Vars[0].Of != back {
		t.Errorf("%+v", back)
	}
	if c := tree.Compact().Root(); !c.Mark(0).Node().IsNil() || !c.Var(1).Of().IsNil() || c.Var(0).Of() != c {
		t.Error(c)
	}
}

// TestLinksToCopies verifies that a node that is in two fields is copied for each of them, without
// flat:share, and that links lead to the first copy.
func TestLinksToCopies(t *testing.T) {
	use, v := &links.Use{}, links.Var{}
	v.First = use
	tree := must(linksflat.FromTree(&links.Scope{Vars: []links.Var{v}, Body: []links.Node{use, use}}, flat.LoadLimits{}))
	if root := tree.Root(); root.Var(0).First() != root.BodyAt(0) || root.BodyAt(0) == root.BodyAt(1) {
		t.Error(tree)
	}
}

// TestRewriteLinksToOtherKinds verifies that links to a replaced node become nil if they do not
// accept the kind of the replacement, whether they lead forward or backward.
func TestRewriteLinksToOtherKinds(t *testing.T) {
	tree := must(linksflat.FromTree(linkedScopes(), flat.LoadLimits{}))
	b := linksflat.NewBuilder(flat.BuilderOptions{})
	got := must(b.Rewrite(tree, linksflat.Rewriter{Use: func(b *linksflat.Builder, _ linksflat.Use) linksflat.Node {
		return b.Group(linksflat.Scope{}, nil, [2]linksflat.Node{}, nil)
	}}))
	got = must(linksflat.Load(fileOf(got.Flat()), flat.LoadLimits{}))
	root := got.Root()
	group := root.BodyAt(0).AsGroup()
	if group.NumUses() != 3 || !group.Use(0).IsNil() || group.PairAt(1) != group.Item(0) || group.Item(0).Kind() != linksflat.KindGroup ||
		root.Var(0).First() != group.Scope().BodyAt(0) {
		t.Error(got)
	}
}

// TestRewriteShowsNoLinksToWhatIsGone verifies that a function of a Rewriter sees nil in place of a
// link to an earlier node that was replaced by nil.
func TestRewriteShowsNoLinksToWhatIsGone(t *testing.T) {
	use := &links.Use{}
	for name, rewrite := range map[string]func(*linksflat.Builder, linksflat.Tree, linksflat.Rewriter) (linksflat.Tree, error){
		"Rewrite": (*linksflat.Builder).Rewrite, "RewriteInPlace": (*linksflat.Builder).RewriteInPlace,
	} {
		tree := must(linksflat.FromTree(&links.Scope{Body: []links.Node{use, &links.Group{Uses: []*links.Use{use}}}}, flat.LoadLimits{}))
		met := 0
		must(rewrite(linksflat.NewBuilder(flat.BuilderOptions{}), tree, linksflat.Rewriter{
			Use: func(*linksflat.Builder, linksflat.Use) linksflat.Node { return linksflat.Node{} },
			Group: func(_ *linksflat.Builder, n linksflat.Group) linksflat.Node {
				met++
				if !n.Use(0).IsNil() {
					t.Errorf("%s: it is %v", name, n.Use(0))
				}
				return n.AsNode()
			},
		}))
		if met != 1 {
			t.Errorf("%s: %d groups", name, met)
		}
	}
}

// TestLinksOfAFullBuilder verifies that FromTree returns ErrFull if the Builder is full, and not an
// error about a link to a node that did not fit.
func TestLinksOfAFullBuilder(t *testing.T) {
	for most := range int64(1000) {
		_, err := linksflat.FromTree(linkedScopes(), flat.LoadLimits{MaxBytes: most + 1})
		if err != nil && !errors.Is(err, flat.ErrFull) {
			t.Fatalf("%d bytes: %v", most+1, err)
		}
		if err == nil && most < 100 {
			t.Fatalf("a tree of %d bytes", most+1)
		}
	}
}
