package btree

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/image"
	"github.com/coppice-go/coppice/internal/texts"
)

// Verify checks every node, key and string, and every bool in keys and values. It returns an error
// that wraps ErrInvalid if the tree is not sound, for example if keys are out of order or a node is
// used twice or not at all. It takes about 20 ns per entry, and more for strings. It uses one bit
// of memory for each node and for each four bytes of strings.
func (m *Map[K, V]) Verify() error {
	const where = "btree.Map.Verify"
	m.use(where)
	if err := m.sound(); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// sound checks the whole tree for Verify. It returns an error that wraps errDamaged if the tree is
// damaged.
func (m *Map[K, V]) sound() error {
	t := m.tree
	c := checker{t: t, seen: make([]uint64, t.top/64+1), texts: t.heap.NewChecker()}
	c.order = func(a, b limit) int {
		return m.order(*comparedKey[K](a.n.keyAt(&t.shape, a.i)), *comparedKey[K](b.n.keyAt(&t.shape, b.i)))
	}
	c.keyBools, c.valueBools = image.BoolsOf(reflect.TypeFor[K]()), image.BoolsOf(reflect.TypeFor[V]())
	if err := c.tree(); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	return nil
}

// A checker holds the state of Verify. It checks each number in the tree before it uses the number.
// It does not depend on the types of keys and values, so that its code is compiled only once.
type checker struct {
	t                    *tree
	order                func(a, b limit) int // used if keys are compared by a function
	seen                 []uint64             // one bit for each node, set when the node was found
	texts                *texts.Checker
	nodes                int // number of nodes in the tree
	entries              int
	keyBools, valueBools image.Bools
}

// A limit is a key that bounds the keys of other nodes. It is identified by its node and its index.
type limit struct {
	n    node
	leaf bool
	i    int
	ok   bool
}

func (c *checker) tree() error {
	t := c.t
	if t.root != 0 {
		if err := c.node(t.root, 0, limit{}, limit{}); err != nil {
			return err
		}
	}
	if c.entries != t.length {
		return fmt.Errorf("it has %d keys, but %d are recorded", c.entries, t.length)
	}
	if err := c.texts.Dead(); err != nil {
		return err
	}
	free := 0
	for number := t.free; number != 0; free++ {
		if err := c.visit(number); err != nil {
			return err
		}
		h := t.at(&t.shape, number).header()
		if h.level != freeLevel {
			return fmt.Errorf("node %d is on the free list, but is not marked as free", number)
		}
		number = uint32(min(h.epoch, uint64(t.top)))
	}
	_, held, _, waiting := t.held.sizes()
	waiting += len(t.recycled)
	if free != int(t.spare) || c.nodes+free+waiting+held+1 != int(t.top) {
		return fmt.Errorf("the counts of nodes do not add up to %d: %d in the tree, %d free (recorded: %d), %d awaiting reuse, %d held by snapshots; %s", t.top-1, c.nodes, free, t.spare, waiting, held, checks.Misused)
	}
	return nil
}

// visit records that a node was visited. It returns an error if the number does not belong to a
// node, or if the node was already visited.
func (c *checker) visit(number uint32) error {
	if number == 0 || number >= c.t.top {
		return fmt.Errorf("node %d of %d", number, c.t.top)
	}
	if c.seen[number/64]>>(number%64)&1 != 0 {
		return fmt.Errorf("node %d is in two places", number)
	}
	c.seen[number/64] |= 1 << (number % 64)
	return nil
}

// node checks a node on level d and all nodes below it. Their keys must be at least low, and less
// than high.
func (c *checker) node(number uint32, d int, low, high limit) error {
	t := c.t
	if err := c.visit(number); err != nil {
		return err
	}
	c.nodes++
	n, leaf := t.at(&t.shape, number), d == t.height
	h, count := n.header(), int(t.at(&t.shape, number).header().count)
	if int(h.level) != t.height-d || count > t.capOf(leaf) || h.epoch > t.epoch {
		return fmt.Errorf("node %d at depth %d of a tree of height %d: invalid level %d, epoch %d or key count %d", number, d, t.height, h.level, h.epoch, count)
	}
	if err := c.keys(n, leaf, count, low, high); err != nil {
		return fmt.Errorf("node %d: %w", number, err)
	}
	if leaf {
		c.entries += count
		for i := 0; i < count && len(c.valueBools) > 0; i++ {
			if !c.valueBools.Valid(n.bytes(t.leafValues+uintptr(i)*t.valueBytes, t.valueBytes)) {
				return fmt.Errorf("node %d: a bool of value %d is neither true nor false", number, i)
			}
		}
		for i := 0; i < count && t.texted; i++ {
			if err := c.texts.Text(*t.valueRef(n, i)); err != nil {
				return fmt.Errorf("node %d: value %d: %w", number, i, err)
			}
		}
		return nil
	}
	for i := range count + 1 {
		below, above := low, high
		if i > 0 {
			below = limit{n, false, i - 1, true}
		}
		if i < count {
			above = limit{n, false, i, true}
		}
		before := c.entries
		if err := c.node(n.child(&t.shape, i), d+1, below, above); err != nil {
			return err
		}
		if t.ranked && uint64(n.counts(&t.shape)[i]) != uint64(c.entries-before) {
			return fmt.Errorf("node %d: %d entries are recorded below child %d, which has %d", number, n.counts(&t.shape)[i], i, c.entries-before)
		}
	}
	return nil
}

// keys checks the keys of a node.
func (c *checker) keys(n node, leaf bool, count int, low, high limit) error {
	t := c.t
	if t.mode == stringed && leaf {
		if err := c.block(n, count); err != nil {
			return err
		}
	}
	for i := range count {
		if t.mode == stringed && !leaf {
			text, ok := t.heap.Bytes(n.refs(&t.shape)[i])
			if !ok || uint64(n.header().skip) > uint64(len(text)) || n.keys64(t.innerCap)[i] != textWord(text, n.header().skip) {
				return fmt.Errorf("string %d does not match its word", i)
			}
			if err := c.texts.Text(n.refs(&t.shape)[i]); err != nil {
				return err
			}
		}
		if t.mode == compared && !c.keyBools.Valid(n.bytes(headerBytes+uintptr(i)*t.keyBytes, t.keyBytes)) {
			return fmt.Errorf("a bool of key %d is neither true nor false", i)
		}
		here := limit{n, leaf, i, true}
		if i > 0 && c.compare(limit{n, leaf, i - 1, true}, here) >= 0 {
			return fmt.Errorf("key %d is not greater than the one before", i)
		}
	}
	if count > 0 && (low.ok && c.compare(low, limit{n, leaf, 0, true}) > 0 || high.ok && c.compare(limit{n, leaf, count - 1, true}, high) >= 0) {
		return fmt.Errorf("its %d keys are not all within the bounds set by its ancestors", count)
	}
	if h := n.header(); t.mode == stringed && h.skip > 0 && count > 0 {
		same := common(c.text(limit{n, leaf, 0, true}), c.text(limit{n, leaf, count - 1, true}))
		if h.open == 0 && low.ok && high.ok {
			same = common(c.text(low), c.text(high))
		}
		if same < int(h.skip) || h.open == 0 && !(low.ok && high.ok) {
			return fmt.Errorf("its keys do not all begin with the same %d bytes", h.skip)
		}
	}
	for i := count; i < t.capOf(leaf); i++ {
		if t.mode == words32 && n.keys32(t.capOf(leaf))[i] != greatest>>32 || (t.mode == words64 || t.mode == stringed) && n.keys64(t.capOf(leaf))[i] != greatest {
			return fmt.Errorf("word %d after the last key is not the maximum", i)
		}
	}
	return nil
}

// block checks the strings of a leaf.
func (c *checker) block(n node, count int) error {
	t := c.t
	b, h := n.block(&t.shape), n.header()
	start, ok := startOf(t.heap, &t.shape, n)
	room, there := t.heap.Bytes(b.ref)
	used := int(b.waste) + int(h.skip)
	for i, w := range n.keys64(t.leafCap)[:count] {
		if w&0xFF > wordBytes+1 || isWhole(w) && textWord(appendKey(nil, nil, w, nil), 0) != w {
			return fmt.Errorf("word %d is not a valid encoding of a string", i)
		}
		if isWhole(w) {
			continue
		}
		tail, long, found := tailOf(t.heap, &t.shape, n, i)
		size := 1 + len(tail)
		if long != 0 {
			size = longSize
			key, _ := t.heap.Bytes(long)
			found = found && len(key) > longest && bytes.HasPrefix(key, start) && textWord(key, h.skip) == w && c.texts.Text(long) == nil
		}
		if !found || len(tail) == 0 || int(n.places(&t.shape)[i])+size > int(b.used) {
			return fmt.Errorf("string %d does not match its word", i)
		}
		used += size
	}
	switch {
	case b.ref == 0 && used == 0 && b.used == 0:
		return nil
	case !ok || !there || b.ref == 0 || int(b.used) != used+int(b.start) || int(b.used) > int(b.start)+len(room) || h.skip > mostSkip:
		return fmt.Errorf("its block of %d bytes has %d of %d keys, of which %d are in no key", len(room), b.used, count, b.waste)
	}
	return c.texts.Text(b.ref)
}

// text returns the key of a limit. The key must already have been checked.
func (c *checker) text(l limit) []byte {
	t := c.t
	if !l.leaf {
		b, _ := t.heap.Bytes(l.n.refs(&t.shape)[l.i])
		return b
	}
	start, _ := startOf(t.heap, &t.shape, l.n)
	tail, _, _ := tailOf(t.heap, &t.shape, l.n, l.i)
	return appendKey(nil, start, l.n.keys64(t.leafCap)[l.i], tail)
}

// compare compares the keys of two limits. The keys must already have been checked.
func (c *checker) compare(a, b limit) int {
	s := &c.t.shape
	switch s.mode {
	case stringed:
		return bytes.Compare(c.text(a), c.text(b))
	case words64:
		return compareWords(a.n.keys64(s.capOf(a.leaf))[a.i], b.n.keys64(s.capOf(b.leaf))[b.i])
	case words32:
		return compareWords(a.n.keys32(s.capOf(a.leaf))[a.i], b.n.keys32(s.capOf(b.leaf))[b.i])
	default:
		return c.order(a, b)
	}
}

func compareWords[W uint32 | uint64](a, b W) int { return b2i(a > b) - b2i(a < b) }
