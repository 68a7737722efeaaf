package golang

import (
	"github.com/coppice-go/coppice/cmd/internal/flatgen/schema"
)

// tree writes the type Tree, the functions that create and traverse trees, and the handle for nodes
// of any kind.
func (e *emitter) tree() {
	e.needs("io")
	e.p(treeText, e.Root.Read())
	e.handle(&schema.Sum{Name: "Any", Variants: e.Records[1:]}, "a node of any kind")
}

const treeText = `
// A Tree is a tree in one buffer. It is a single pointer and can be copied freely. Any number of
// goroutines may read a Tree concurrently; a change needs exclusive access.
type Tree struct{ *core }

// core is flat.Tree. The unexported name prevents other packages from making a Tree from a tree of
// another schema.
type core = flat.Tree

// impl returns the tree as the type that package flatimpl uses.
func (t Tree) impl() *flatimpl.Tree { return (*flatimpl.Tree)(t.core) }

// Load validates data, the contents of a file, and returns the tree in it, as a private copy. The
// error wraps flat.ErrInvalid or flat.ErrLimit.
func Load(data []byte, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Load(data, flatimpl.LoadLimits(limits))) }

// Read is like Load for a stream. It reads exactly one tree, so that a stream can hold several. At
// the end of the stream the error also wraps io.EOF.
func Read(r io.Reader, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Read(r, flatimpl.LoadLimits(limits))) }

// Open maps a file and validates it. The tree is read-only; Close unmaps the file. Use flat.Guard
// for files that may be truncated while they are mapped.
func Open(path string, limits flat.LoadLimits) (Tree, error) { return treeOf(schema.Open(path, flatimpl.LoadLimits(limits))) }

func treeOf(t *flatimpl.Tree, err error) (Tree, error) { return Tree{(*core)(t)}, err }

// Root returns the root, or nil if the tree is empty.
func (t Tree) Root() %[1]s { return %[1]s{node: t.impl().Root()} }

// Clone returns a copy, which has handles of its own. It allocates once, and copies the records.
func (t Tree) Clone() Tree { return Tree{t.core.Clone()} }

// CloneInto frees old and copies the tree into its memory.
func (t Tree) CloneInto(old Tree) Tree { return Tree{t.core.CloneInto(old.core)} }

// Compact returns the tree in its canonical form: equal trees have equal bytes.
func (t Tree) Compact() Tree { return Tree{t.core.Compact()} }

// Schema is called by package forest.
func (Tree) Schema() *flatimpl.Schema { return schema }

// OfForest is called by package forest.
func (Tree) OfForest(f *flatimpl.Format, s flatimpl.Stored, limits flat.LoadLimits) (Tree, error) {
	return treeOf(schema.Stored(f, s, flatimpl.LoadLimits(limits)))
}

// Results holds what Fold has computed so far, for each node.
type Results[R any] struct{ core flatimpl.Results[R] }

// Of returns the result of a node that Fold has visited, such as a child of the current node. For
// nil it returns the zero R.
func (r Results[R]) Of(n Any) R { return r.core.Of(n.node) }

// Fold calls f for each node, children before their parents, in one pass without recursion, and
// returns the result of the root. In f, done.Of(child.AsAny()) is the result of a child. Fold
// allocates one R for each word of the tree.
func Fold[R any](t Tree, f func(n Any, done Results[R]) R) R {
	done := Results[R]{flatimpl.NewResults[R](t.impl())}
	im := t.impl()
	for i := following(im, 0); i < im.End(); i = following(im, i) {
		n := im.At(i)
		done.core.Set(n, f(Any{node: n}, done))
	}
	return done.core.Of(t.Root().node)
}
`
