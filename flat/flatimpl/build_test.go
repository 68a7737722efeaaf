package flatimpl

import "testing"

// The cost of Reset depends on what was built, not on the capacity of the memory. Reset clears the
// parent bits of the records and does not touch the memory after them.
func TestResetTouchesWhatWasBuilt(t *testing.T) {
	schema := NewSchema(Generation5("list"), "flat 1\nroot R\nrecord R\n Next &R\n")
	b := schema.NewBuilder(BuilderOptions{Nodes: 1 << 16})
	add := func(child Node) Node {
		n, words := b.Add(2)
		words[0] = 1
		words[1] = b.Ref(child)
		b.Done()
		return n
	}
	const nodes = 1000
	var last Node
	for range nodes {
		last = add(last)
	}
	words, parents := b.tree.words, b.tree.parents
	used := len(words)/64 + 1
	rest, bits := words[len(words):cap(words)], parents[used:]
	if len(rest) < 1<<16 || len(bits) < 1<<16/64 {
		t.Fatalf("there is room for %d words and %d parents", len(rest), 64*len(bits))
	}
	for i := range rest {
		rest[i] = 1<<32 - 1
	}
	for i := range bits {
		bits[i] = 1<<64 - 1
	}
	b.Reset()
	for i, w := range rest {
		if w != 1<<32-1 {
			t.Fatalf("word %d behind the tree was touched", i)
		}
	}
	for i, w := range bits {
		if w != 1<<64-1 {
			t.Fatalf("bits of parents were touched, %d words behind those of the tree", i)
		}
	}
	for i, w := range parents[:used] {
		if w != 0 {
			t.Errorf("word %d of the parents' bits is %x after Reset", i, w)
		}
	}
	add(Node{})
	if &b.tree.words[0] != &words[0] || &b.tree.parents[0] != &parents[0] {
		t.Error("Reset has not kept the memory")
	}
}
