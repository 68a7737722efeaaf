package golang

// rewriter writes the type Rewriter, with a function for each variant, and the Builder's methods
// Rewrite and RewriteInPlace.
func (e *emitter) rewriter() {
	e.p(rewriterText)
	for _, v := range e.Records[1:] {
		e.p("%s func(b *Builder, n %s) %s", v.Name, v.Name, v.Place())
	}
	e.p("}\n")
	e.p(rewriteText, e.rule())
	e.p(inPlaceText)
	for _, v := range e.Records[1:] {
		e.p("kinds.Add(uint8(Kind%s), r.%s != nil)", v.Name, v.Name)
	}
	e.p("f := func(n flatimpl.Node) flatimpl.Node {\nswitch Kind(n.Kind()) {")
	for _, v := range e.Records[1:] {
		e.p("case Kind%s:\nreturn r.%s(b, %s{node: n}).node", v.Name, v.Name, v.Name)
	}
	e.p("default:\nreturn n\n}\n}")
	e.p("if inPlace {\nreturn treeOf(b.core.RewriteInPlace(t.impl(), &kinds, f))\n}")
	e.p("return treeOf(b.core.Rewrite(t.impl(), &kinds, f))\n}")
}

// rule returns what the comment of Rewrite says about nodes with several parents.
func (e *emitter) rule() string {
	if e.Schema.Share {
		return "A node with several parents is rewritten once, and the result has these parents."
	}
	return "It panics if a node of the new tree has several parents."
}

const rewriterText = `
// A Rewriter holds the functions with which a Builder rewrites a tree, one for each variant. Variants without a function
// are copied.
//
// A function gets the Builder and a node whose children are rewritten already. It returns what stands there in the new
// tree: the node itself, another node, which it may make with the Builder, or nil. It may use descendants of the node elsewhere in the
// new tree, and set fields of the node. It must not call Finish, Reset, Reuse, Edit, Rewrite or RewriteInPlace of this Builder. Nodes are valid until Rewrite
// returns, and those of RewriteInPlace as long as its result.
type Rewriter struct {`

const rewriteText = `
// Rewrite returns a copy of the tree with what the functions of r return in the place of nodes, and
// starts an empty tree. It visits the nodes that are reachable from the root, children before their parents, in buffer
// order and without recursion, and leaves t as it is. %s
//
// The Builder must not have begun a tree. The new tree has only reachable nodes. It shares the strings of t, including those that no
// node uses any more; Compact drops them. The error is flat.ErrFull if the limit was reached. Rewrite panics if a node may not stand
// where it would, or belongs to another tree, and if a function panics; the Builder is then empty. Any number of goroutines may rewrite a
// tree at once, each with its own Builder. The cost is that of a copy, of a call for each node that has a function, and, once anything
// has changed, of a look at each reference that stands behind the change.
func (b *Builder) Rewrite(t Tree, r Rewriter) (Tree, error) { return b.rewrite(t, &r, false) }`

const inPlaceText = `
// RewriteInPlace is Rewrite in the memory of t, which is freed; the functions and the result are the same. It is for passes that change
// few nodes: no node moves, and new ones stand behind all others. So children may stand behind their parents, as after Edit: All, Fold and
// WriteTo need what Compact returns then. Nodes that are not reachable any more take memory until Compact, and links to them are there until then. A tree in which children
// stand behind their parents already is put in order first, which costs a copy.
//
// Nodes that the functions got are nodes of the new tree and stay valid. The tree must not be mapped or of a forest. If the error is not nil, or
// a function panics, or a node may not stand where it would, the tree is lost, and the Builder is empty. The cost is that of
// a look at each node, of a call for each node that has a function, of a look at each reference that stands behind a change, up to the
// parent of what was replaced, and of a look at each link. The first new node moves the tree to larger memory, if it has no room.
func (b *Builder) RewriteInPlace(t Tree, r Rewriter) (Tree, error) { return b.rewrite(t, &r, true) }

func (b *Builder) rewrite(t Tree, r *Rewriter, inPlace bool) (Tree, error) {
	var kinds flatimpl.Kinds`
