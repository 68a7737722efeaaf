package btree

import (
	"errors"
	"fmt"
	"math"

	"github.com/coppice-go/coppice/internal/texts"
	"github.com/coppice-go/coppice/internal/vmem"
)

// A tree is the part of a Map that does not depend on the types of keys and values. It contains the
// nodes in use, the free nodes, and the nodes and strings that are held for snapshots. Only one
// goroutine at a time may change it.
//
// A node is in the tree, is free, or is held for snapshots. A node of the tree may be changed in
// place if it was created after the newest open snapshot. Otherwise, the node and all nodes above
// it are first copied, and the originals are passed to the field held.
type tree struct {
	view
	region  *vmem.Region
	huge    vmem.HugePages
	account *vmem.Account
	most    int    // the maximum length, 0 for no limit
	limit   uint32 // the maximum top

	free     uint32   // the first free node, which contains the number of the next
	spare    uint32   // number of free nodes
	recycled []uint32 // free nodes returned by snapshots
	dropped  []uint32 // strings returned by snapshots, still to be freed
	epoch    uint64   // epoch of new nodes
	changes  uint64   // number of changes since the map was opened; iterations check it
	held     *held

	cursor    cursor
	appending bool    // keys are inserted in order: leave no room in nodes
	scratch   scratch // two nodes that are rearranged
	closed    bool
	verified  bool // everything was checked when it was opened
}

// openTree creates an empty tree, and reserves memory for its nodes. The parameter least is the
// minimum number of nodes for which it must reserve memory.
func openTree(s shape, least uint32, most int, huge vmem.HugePages, account *vmem.Account) (*tree, error) {
	size := vmem.DefaultSize()
	if most > 0 { // leaves are at least a quarter full, and snapshots may need copies
		nodes := uint64(most)/uint64(s.leafCap/4)*2 + 64
		if nodes > math.MaxUint32 || nodes > uint64(^uintptr(0)>>2)/uint64(s.nodeBytes) {
			return nil, fmt.Errorf("nodes for %d entries exceed the address space; set a smaller Options.Max", most)
		}
		size = max(size, uintptr(nodes)*s.nodeBytes)
	}
	if uint64(least) >= uint64(^uintptr(0)>>2)/uint64(s.nodeBytes) {
		return nil, fmt.Errorf("%d nodes exceed the address space", least)
	}
	floor := max(uintptr(least+1)*s.nodeBytes, 4*s.nodeBytes)
	region, err := vmem.ReserveSmall(max(size, floor), floor, huge, account)
	if err != nil {
		return nil, err
	}
	t := &tree{region: region, huge: huge, account: account, most: most, epoch: 1, held: &held{}}
	t.shape = s
	t.follow()
	t.heap = texts.Open(0, huge, account)
	t.held.giveBack = func() error { return errors.Join(t.region.Close(), t.heap.Close()) }
	return t, nil
}

// begin allocates node 0 of a new tree. This node is never used, so that the number 0 can stand for
// a missing node.
func (t *tree) begin() error {
	if err := t.region.Commit(t.nodeBytes); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, errors.Join(err, t.close()))
	}
	t.follow()
	t.top = 1
	return nil
}

// follow updates the address of the region. It must be called after each commit, because a commit
// may move a small region. A node that was looked up before the commit still refers to the old
// memory, whose contents stay valid for snapshots; a writer must look the node up again.
func (t *tree) follow() {
	t.base = baseOf(t.region)
	t.limit = uint32(min(uint64(t.region.Size()/t.nodeBytes), math.MaxUint32))
}

// reserve ensures that the next n calls of take succeed. Nodes that were looked up before must not
// be written afterwards, because the region may have moved.
func (t *tree) reserve(n uint32) error {
	t.collect()
	have := t.spare + uint32(len(t.recycled))
	if have >= n {
		return nil
	}
	n -= have
	if n > t.limit-t.top {
		return fmt.Errorf("%w: its %d nodes of %d bytes are all there is room for", ErrFull, t.top, t.nodeBytes)
	}
	if err := t.region.Commit(uintptr(t.top+n) * t.nodeBytes); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	t.follow()
	return nil
}

// take returns a node without keys, whose other contents are undefined. The caller must have called
// reserve.
func (t *tree) take(level uint8) (uint32, node) {
	var number uint32
	switch {
	case len(t.recycled) > 0:
		number = t.recycled[len(t.recycled)-1]
		t.recycled = t.recycled[:len(t.recycled)-1]
	case t.spare > 0:
		number = t.free
		h := t.node(number).header()
		t.free = uint32(h.epoch)
		t.spare--
		if h.level != freeLevel || t.free >= t.top {
			damaged("a node on the free list is in use or has an invalid successor:", number)
		}
	default:
		number = t.top
		t.top++
	}
	n := t.node(number)
	*n.header() = header{epoch: t.epoch, level: level}
	if level == 0 && t.mode == stringed {
		*n.block(&t.shape) = block{}
	}
	t.fill(n, level == 0, 0, t.capOf(level == 0))
	return number, n
}

// release frees a node that is no longer visible.
func (t *tree) release(number uint32) {
	*t.node(number).header() = header{epoch: uint64(t.free), level: freeLevel}
	t.free = number
	t.spare++
}

// retire frees a node that is no longer in the tree or, if a snapshot may see it, passes it to
// held.
func (t *tree) retire(number uint32) {
	if birth := t.node(number).header().epoch; birth <= t.held.newest.Load() {
		t.held.add(number, birth)
		return
	}
	t.release(number)
}

// retireText frees a string or, if a snapshot is open, passes it to held. A string does not record
// when it was created, so any open snapshot may see it.
func (t *tree) retireText(ref uint32) {
	if ref == 0 || t.held.newest.Load() != 0 && t.held.addText(ref) {
		return
	}
	t.heap.Free(ref)
}

// retireTexts retires all strings of a leaf.
func (t *tree) retireTexts(n node, count int) {
	for i, w := range n.keys64(t.leafCap)[:count] {
		if isWhole(w) {
			continue
		}
		if _, long := t.tail(n, i); long != 0 {
			t.retireText(long)
		}
	}
	t.retireBlock(n)
}

// retireBlock retires the block of a leaf. If the block was created for this node and no snapshot
// sees the node, the block is freed at once, because no snapshot can see it either.
func (t *tree) retireBlock(n node) {
	b := n.block(&t.shape)
	if b.own != 0 && n.header().epoch > t.held.newest.Load() {
		t.heap.Free(b.ref)
	} else {
		t.retireText(b.ref)
	}
}

// collect takes over the nodes and strings that closed snapshots have returned, and frees up to
// four of the strings. It is called before each new string is stored, so that strings are freed
// faster than new ones are added.
func (t *tree) collect() {
	if t.held.some.Load() {
		t.held.take(&t.recycled, &t.dropped)
	}
	for i := 0; i < 4 && len(t.dropped) > 0; i++ {
		t.heap.Free(t.dropped[len(t.dropped)-1])
		t.dropped = t.dropped[:len(t.dropped)-1]
	}
}

// settle frees all nodes and strings that can be freed. It is called before the memory is copied.
func (t *tree) settle() {
	for t.collect(); len(t.dropped) > 0; {
		t.collect()
	}
	for _, number := range t.recycled {
		t.release(number)
	}
	t.recycled = t.recycled[:0]
}

// putText stores a copy of a string in the heap, and returns the reference of the copy.
func (t *tree) putText(text []byte) (uint32, error) {
	t.collect()
	ref, err := t.heap.Put(text)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrFull, err)
	}
	return ref, nil
}

// own ensures that all nodes of the cursor's path may be changed in place, by copying the nodes
// that a snapshot may see.
func (t *tree) own() error {
	newest := t.held.newest.Load()
	if newest == 0 {
		return nil
	}
	for d := range t.height + 1 {
		if t.node(t.cursor.path[d].node).header().epoch > newest {
			continue
		}
		if err := t.reserve(1); err != nil {
			return err
		}
		number := t.copyOf(t.cursor.path[d].node)
		if d == 0 {
			t.root = number
		} else {
			t.node(t.cursor.path[d-1].node).children(&t.shape)[t.cursor.path[d-1].at] = number
		}
		t.cursor.path[d].node = number
	}
	return nil
}

// ownChild ensures that a child of parent may be changed in place, as parent already may, by
// copying the child if a snapshot may see it. The caller must have reserved a node for the copy, so
// that ownChild moves neither the parent nor the results of earlier calls.
func (t *tree) ownChild(parent node, i int) node {
	number := parent.children(&t.shape)[i]
	if newest := t.held.newest.Load(); newest != 0 && t.node(number).header().epoch <= newest {
		number = t.copyOf(number)
		parent.children(&t.shape)[i] = number
	}
	return t.node(number)
}

// copyOf returns a copy of a node, and retires the original.
func (t *tree) copyOf(old uint32) uint32 {
	number, n := t.take(0)
	copy(n.bytes(0, t.nodeBytes), t.node(old).bytes(0, t.nodeBytes))
	h := n.header()
	if h.epoch = t.epoch; h.level == 0 && t.mode == stringed {
		n.block(&t.shape).own = 0
	}
	t.retire(old)
	t.changes++ // loops in the old node continue in this one: the old one is reused when its snapshots are closed
	t.held.copies.Add(1)
	return number
}

// reset removes all keys. Nodes that are visible to snapshots are kept.
func (t *tree) reset() {
	t.changes++
	if t.held.newest.Load() == 0 {
		t.held.take(&t.recycled, &t.dropped)
		t.recycled, t.dropped = t.recycled[:0], t.dropped[:0]
		t.heap.Reset()
		t.top, t.free, t.spare = 1, 0, 0
	} else if t.root != 0 {
		t.drop(t.root, 0, &dropping{})
	}
	t.root, t.height, t.length = 0, 0, 0
}

// A dropping counts the nodes that drop has retired, so that drop terminates even in a damaged
// file.
type dropping struct{ nodes uint32 }

// drop retires a node on level d and all nodes below it, with their strings.
func (t *tree) drop(number uint32, d int, all *dropping) {
	if all.nodes++; all.nodes >= t.top {
		damaged("a node is in two places:", number)
	}
	n, leaf := t.node(number), d == t.height
	count := t.count(n, leaf)
	if t.mode == stringed && leaf {
		t.retireTexts(n, count)
	} else if t.mode == stringed {
		for _, ref := range n.refs(&t.shape)[:count] {
			t.retireText(ref)
		}
	}
	for i := 0; leaf && t.texted && i < count; i++ {
		t.retireText(*t.valueRef(n, i))
	}
	for i := 0; !leaf && i <= count; i++ {
		t.drop(n.child(&t.shape, i), d+1, all)
	}
	t.retire(number)
}

// close releases all memory. If snapshots are open, the memory is released when the last of them is
// closed.
func (t *tree) close() error {
	if t.closed {
		return nil
	}
	t.closed = true
	t.changes++ // so that a loop notices
	t.memory, t.root, t.height, t.length = memory{}, 0, 0, 0
	return t.held.leave()
}

// copyFrom copies the contents of another tree into a new tree. The other tree must have no open
// snapshots.
func (t *tree) copyFrom(from *tree) error {
	from.settle()
	size := uintptr(from.top) * t.nodeBytes
	if err := t.region.Commit(size); err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	heap, err := from.heap.Clone(t.account)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	t.heap = heap
	t.follow()
	copy(node{t.base}.bytes(0, size), node{from.base}.bytes(0, size))
	t.top, t.free, t.spare, t.epoch = from.top, from.free, from.spare, from.epoch
	t.root, t.height, t.length = from.root, from.height, from.length
	return nil
}
