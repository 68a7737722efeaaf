package golang

// sideTables writes the types that associate additional data with tree nodes: node numbers, node
// values, parents, and string numbers.
func (e *emitter) sideTables() {
	e.p(tablesText, e.severalParents())
	e.strings()
}

// severalParents returns the sentence in the doc comment of Parents that states how many parents a
// node has.
func (e *emitter) severalParents() string {
	if e.Schema.Share {
		return "If a node has several parents, the table has the first in buffer order, whether that is reachable from the root or not."
	}
	return "Each node has at most one parent."
}

const tablesText = `
// A Numbering numbers the nodes of a tree, in buffer order. Methods with a node parameter panic if
// the node is nil, belongs to another tree, was added later, or if the tree was freed. Any number
// of goroutines may use it.
type Numbering struct{ core *flatimpl.Numbering }

// Numbers numbers the nodes of the tree, in one pass. The numbers take 2 bits for each word of the
// tree.
func (t Tree) Numbers() Numbering { return Numbering{t.impl().Number()} }

// Len returns the number of nodes with numbers: all nodes that the tree had.
func (x Numbering) Len() int { return x.core.Len() }

// Of returns the number of a node: at least 0, less than Len, and greater than those of its
// descendants, unless an edit has put these after it.
func (x Numbering) Of(n Any) int { return x.core.Of(n.node) }

// A SideTable holds a value of type R for each node of a tree. Its methods panic for the same
// nodes as those of a Numbering. Different goroutines may set the values of different nodes.
type SideTable[R any] struct{ core flatimpl.Table[R] }

// NewSideTable returns a table with the zero R for each node. Tables can share a Numbering.
func NewSideTable[R any](x Numbering) SideTable[R] { return SideTable[R]{flatimpl.NewTable[R](x.core)} }

// Of returns the value of a node.
func (t SideTable[R]) Of(n Any) R { return *t.core.At(n.node) }

// Set sets the value of a node.
func (t SideTable[R]) Set(n Any, v R) { *t.core.At(n.node) = v }

// At returns a pointer to the value of a node. It stays valid even after the tree was freed.
func (t SideTable[R]) At(n Any) *R { return t.core.At(n.node) }

// ParentTable holds the parent of each node. Its methods panic for the same nodes as those of a
// Numbering.
type ParentTable struct{ core flatimpl.Parents }

// Parents finds the parents of all nodes, in one pass. %s
// Later changes by setters are not reflected in the table. The table takes 4 bytes for each node.
func (t Tree) Parents(x Numbering) ParentTable { return ParentTable{t.impl().Parents(x.core)} }

// Of returns the parent of a node, or nil for the root and for an unreferenced node.
func (p ParentTable) Of(n Any) Any { return Any{node: p.core.Of(n.node)} }
`
