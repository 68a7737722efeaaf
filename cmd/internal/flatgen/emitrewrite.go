package flatgen

// rewriter writes the type Rewriter, with a function for each variant, and the Builder's method Rewrite.
func (e *emitter) rewriter() {
	e.p(rewriterText)
	for _, v := range e.Records[1:] {
		e.p("%s func(b *Builder, n %s) %s", v.Name, v.Name, v.place())
	}
	e.p("}\n")
	e.p(rewriteText, e.rule())
	for _, v := range e.Records[1:] {
		e.p("kinds.Add(uint8(Kind%s), r.%s != nil)", v.Name, v.Name)
	}
	e.p("return treeOf(b.core.Rewrite(t.impl(), &kinds, func(n flatimpl.Node) flatimpl.Node {\nswitch Kind(n.Kind()) {")
	for _, v := range e.Records[1:] {
		e.p("case Kind%s:\nreturn r.%s(b, %s{node: n}).node", v.Name, v.Name, v.Name)
	}
	e.p("default:\nreturn n\n}\n}))\n}")
}

// place returns the handle of what can stand where a variant stands: the variant's sum, or Any if it belongs to several. A record that belongs
// to none can only be replaced by another of its kind.
func (s *Struct) place() string {
	if len(s.Sums) > 1 {
		return "Any"
	}
	return s.home()
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
// new tree, and set fields of the node. It must not call Finish, Reset, Reuse or Rewrite of this Builder. Nodes are valid until Rewrite
// returns.
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
func (b *Builder) Rewrite(t Tree, r Rewriter) (Tree, error) {
	var kinds flatimpl.Kinds`
