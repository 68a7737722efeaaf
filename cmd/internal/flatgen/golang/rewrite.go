package golang

// rewriter writes the type Rewriter, which has a function for each variant, and the Builder methods
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

// rule returns the sentence in the doc comment of Rewrite that explains how nodes with several
// parents are handled.
func (e *emitter) rule() string {
	if e.Schema.Share {
		return "A node with several parents is rewritten once, and the result has these parents."
	}
	return "It panics if a node of the new tree has several parents."
}

const rewriterText = `
// A Rewriter holds the functions with which a Builder rewrites a tree, one for each variant.
// Variants without a function are copied.
//
// A function gets the Builder and a node whose children were already rewritten. It returns the
// replacement of the node in the new tree: the node itself, another node, which it may make with
// the Builder, or nil. It may use descendants of the node elsewhere in the new tree, and set
// fields of the node. It must not call Finish, Reset, Reuse, Edit, Rewrite or RewriteInPlace of
// this Builder. Nodes are valid until Rewrite returns; those of RewriteInPlace are valid as long
// as its result.
type Rewriter struct {`

const rewriteText = `
// Rewrite returns a copy of the tree in which nodes are replaced by the results of the functions
// of r, and starts an empty tree. It visits the nodes that are reachable from the root, children
// before their parents, in buffer order and without recursion. It does not change t.
// %s
//
// The Builder must not have begun a tree. The new tree has only reachable nodes. It shares the
// strings of t, including those that are no longer used; Compact drops them. The error is
// flat.ErrFull if the limit was reached. Rewrite panics if a node is not allowed in its new place,
// or belongs to another tree, and if a function panics; the Builder is then empty. Any number of
// goroutines may rewrite a tree concurrently, each with its own Builder. It costs a copy, a
// call for each node that has a function, and, after the first change, a check of each reference
// that follows it in the buffer.
func (b *Builder) Rewrite(t Tree, r Rewriter) (Tree, error) { return b.rewrite(t, &r, false) }`

const inPlaceText = `
// RewriteInPlace is like Rewrite but uses the memory of t, which is freed; the functions and the
// result are the same. It is for passes that change few nodes: nodes do not move, and new ones are
// appended. Children may then come after their parents, as after Edit: All, Fold and WriteTo then
// need the result of Compact. Nodes that are no longer reachable take memory until Compact, and
// links to them stay until then. If children already come after their parents in t, it is put in
// order first, which costs a copy.
//
// Nodes that the functions got are nodes of the new tree and stay valid. The tree must not be
// mapped or belong to a forest. If the error is not nil, or a function panics, or a node is not
// allowed in its new place, the tree is lost, and the Builder is empty. RewriteInPlace costs a
// visit of each node, a call for each node that has a function, a check of each reference between a
// change and the parent of the replaced node, and a check of each link. The first new node moves
// the tree to larger memory if it has no spare capacity.
func (b *Builder) RewriteInPlace(t Tree, r Rewriter) (Tree, error) { return b.rewrite(t, &r, true) }

func (b *Builder) rewrite(t Tree, r *Rewriter, inPlace bool) (Tree, error) {
	var kinds flatimpl.Kinds`
