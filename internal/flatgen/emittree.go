package flatgen

import "strconv"

func itoa(i int) string { return strconv.Itoa(i) }

// tree writes the Tree, the handle of any node, and what makes and walks trees.
func (e *emitter) tree() {
	e.needs("io")
	e.p(treeText, e.Root.read())
	e.handle("Any", "a node of any kind", e.Records[1:])
}

const treeText = `
// A Tree is a tree in one buffer. It is one pointer: copy it freely. Many goroutines may read a Tree at
// once; what changes it wants it alone.
type Tree struct{ *flat.Tree }

// Load returns the tree that data is the file of, after it has proved that it is one. The tree is a
// private copy. The error wraps flat.ErrInvalid or flat.ErrLimit.
func Load(data []byte, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Load(data, limits)) }

// Read is Load from a stream. It reads the tree and no byte more, so that trees may stand behind one another; the
// error at the stream's end is io.EOF too.
func Read(r io.Reader, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Read(r, limits)) }

// Open maps a file, after it has proved that it is a tree. The tree can only be read, and Close ends it.
// flat.Guard is for files that somebody may truncate meanwhile.
func Open(path string, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Open(path, limits)) }

func treeOf(t *flat.Tree, err error) (Tree, error) { return Tree{t}, err }

// Root returns the root, which is nil if the tree has no node.
func (t Tree) Root() %[1]s { return %[1]s(t.Tree.Root()) }

// Clone returns a copy with handles of its own: one allocation and one copy of memory.
func (t Tree) Clone() Tree { return Tree{t.Tree.Clone()} }

// CloneInto is Clone that frees old and uses its memory.
func (t Tree) CloneInto(old Tree) Tree { return Tree{t.Tree.CloneInto(old.Tree)} }

// Compact returns the tree in its canonical form: equal trees have equal bytes.
func (t Tree) Compact() Tree { return Tree{t.Tree.Compact()} }

// All yields every node, children before their parents, in the order of the buffer.
func (t Tree) All(yield func(Any) bool) {
	for n := t.First(); !n.IsNil(); n = n.Next() {
		if !yield(Any(n)) {
			return
		}
	}
}

// Fold calls f with each node, children before their parents, in one pass without recursion, and returns the
// result of the root. f finds the results of children by done.Of(flat.Node(child)). It takes room for an R for each
// word of the tree.
func Fold[R any](t Tree, f func(n Any, done flat.Results[R]) R) R {
	done := flat.NewResults[R](t.Tree)
	for n := t.First(); !n.IsNil(); n = n.Next() {
		done.Set(n, f(Any(n), done))
	}
	return done.Of(flat.Node(t.Root()))
}
`

// sums writes the handle of each sum.
func (e *emitter) sums() {
	for _, sum := range e.Sums {
		e.handle(sum.Name, article(sum.Name), sum.Variants)
	}
}

// handle writes a handle type that may be any of the variants.
func (e *emitter) handle(name, what string, variants []*Struct) {
	e.p("")
	e.comment("%s is the handle of %s: a tree and the place of a record in it. The zero %s is nil.", name, what, name)
	e.p("type %s flat.Node\n", name)
	e.comment("%sView is a pointer to one of the views of %s, for a type switch.", name, article(name))
	e.p("type %sView interface{ is%s() }\n", name, name)
	e.p("// Kind returns which variant it is, KindNil for nil.")
	e.p("func (n %s) Kind() Kind { return Kind(flat.Node(n).Kind()) }\n", name)
	e.p("// IsNil tells whether it is no node.")
	e.p("func (n %s) IsNil() bool { return flat.Node(n).IsNil() }\n", name)
	e.p("// String returns the node and what is below it, cut off where it is deep or long.")
	e.p("func (n %s) String() string { return flat.Node(n).String() }\n", name)
	e.comment("View returns the node as what it is, or nil, for a type switch. The view is a pointer to n, so n must be a variable, and what is assigned to n is seen in the view. It costs no allocation.")
	e.p("func (n *%s) View() %sView {\nswitch n.Kind() {", name, name)
	for _, v := range variants {
		e.p("case Kind%s:\nreturn (*%s)(n)", v.Name, v.Name)
	}
	e.p("default:\nreturn nil\n}\n}\n")
	e.p("// Preorder yields the node and all below it, parents before children, without recursion.")
	e.p("func (n %s) Preorder(yield func(Any) bool) {", name)
	e.p("var room [64]uint32 // enough for most trees")
	e.p("next, todo := flat.Node(n).Preorder(room[:0])")
	e.p("for !next.IsNil() && yield(Any(next)) {")
	e.p("next, todo = next.After(todo)\n}\n}\n")
	for _, v := range variants {
		e.comment("As%s returns the node as %s, and panics if it is another variant.", v.Name, article(v.Name))
		e.p("func (n %s) As%s() %s { return %s(flat.Node(n).As(uint8(Kind%s))) }\n", name, v.Name, v.Name, v.Name, v.Name)
	}
	for _, v := range variants {
		e.p("func (*%s) is%s() {}", v.Name, name)
	}
}
