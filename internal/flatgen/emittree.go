package flatgen

import "strconv"

func itoa(i int) string { return strconv.Itoa(i) }

// tree writes the Tree, the handle of any node, and what makes and walks trees.
func (e *emitter) tree() {
	e.needs("io")
	e.p(treeText, e.Root.read())
	e.handle(&Sum{Name: "Any", Variants: e.Records[1:]}, "a node of any kind")
}

const treeText = `
// A Tree is a tree in one buffer. It is one pointer: copy it freely. Many goroutines may read a Tree at
// once; what changes it wants it alone.
type Tree struct{ *core }

// core is flat.Tree by a name that keeps other packages from making a Tree of the tree of another schema.
type core = flat.Tree

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
func (t Tree) Root() %[1]s { return %[1]s{node: t.core.Root()} }

// Clone returns a copy with handles of its own: one allocation and one copy of memory.
func (t Tree) Clone() Tree { return Tree{t.core.Clone()} }

// CloneInto is Clone that frees old and uses its memory.
func (t Tree) CloneInto(old Tree) Tree { return Tree{t.core.CloneInto(old.core)} }

// Compact returns the tree in its canonical form: equal trees have equal bytes.
func (t Tree) Compact() Tree { return Tree{t.core.Compact()} }

// All yields every node, children before their parents, in the order of the buffer.
func (t Tree) All(yield func(Any) bool) {
	for n := t.First(); !n.IsNil(); n = n.Next() {
		if !yield(Any{node: n}) {
			return
		}
	}
}

// Results are what Fold has computed so far, for each node.
type Results[R any] struct{ core flat.Results[R] }

// Of returns the result of a node, which the fold has met already, as it has all children of the current one. Of nil it
// returns the zero R.
func (r Results[R]) Of(n Any) R { return r.core.Of(n.node) }

// Fold calls f with each node, children before their parents, in one pass without recursion, and returns the
// result of the root. f finds the results of children by done.Of(child.AsAny()). It takes room for an R for each
// word of the tree.
func Fold[R any](t Tree, f func(n Any, done Results[R]) R) R {
	done := Results[R]{flat.NewResults[R](t.core)}
	for n := t.First(); !n.IsNil(); n = n.Next() {
		done.core.Set(n, f(Any{node: n}, done))
	}
	return done.core.Of(t.Root().node)
}
`
