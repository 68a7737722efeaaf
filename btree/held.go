package btree

import (
	"sync"
	"sync/atomic"
)

// A held keeps nodes and strings that are no longer in the tree but are still visible to snapshots.
// A node is visible to the snapshots that were taken between its creation and its removal from the
// tree. Each snapshot keeps the nodes that were removed while it was the newest. When the snapshot
// is closed, each of these nodes is freed if the previous snapshot is older than the node;
// otherwise the node is passed to the previous snapshot. ZFS does the same with the blocks of its
// snapshots ("dead lists"). The cost of closing a snapshot therefore depends on the number of nodes
// and strings that were replaced while it was the newest, not on the size of the tree.
//
// Strings do not record when they were created. They are therefore always passed to the previous
// snapshot, if there is one.
type held struct {
	newest atomic.Uint64 // epoch of the newest open snapshot, 0 if there is none
	some   atomic.Bool   // whether there may be nodes or strings for the writer to take
	copies atomic.Uint64 // number of nodes copied since the map was opened

	mu       sync.Mutex
	giveBack func() error  // releases the memory; called when the map and all snapshots are closed
	open     []*generation // generations of the open snapshots, the oldest first
	nodes    []uint32      // nodes that are no longer visible; the writer takes them
	texts    []uint32
	closed   bool // whether the map is closed
}

// A generation holds the nodes and strings that were removed from the tree while one snapshot was
// the newest.
type generation struct {
	epoch uint64
	nodes []retired
	texts []uint32
}

type retired struct {
	birth  uint64
	number uint32
}

// add keeps a node that was removed from the tree for as long as a snapshot can see it. If no open
// snapshot can see the node any more, add passes it to the writer, which can reuse it.
func (h *held) add(number uint32, birth uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if last := len(h.open) - 1; last >= 0 && birth <= h.open[last].epoch {
		h.open[last].nodes = append(h.open[last].nodes, retired{birth, number})
		return
	}
	h.nodes = append(h.nodes, number)
	h.some.Store(true)
}

// addText keeps a string that was removed from the tree, and returns true. If no snapshot is open,
// it does nothing and returns false.
func (h *held) addText(ref uint32) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	last := len(h.open) - 1
	if last < 0 {
		return false
	}
	h.open[last].texts = append(h.open[last].texts, ref)
	return true
}

// take moves the nodes and strings that no snapshot sees any more to the writer's lists.
func (h *held) take(nodes, texts *[]uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*nodes, *texts = append(*nodes, h.nodes...), append(*texts, h.texts...)
	h.nodes, h.texts = h.nodes[:0], h.texts[:0]
	h.some.Store(false)
}

// enter registers a new snapshot, which is then the newest one.
func (h *held) enter(epoch uint64) *generation {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := &generation{epoch: epoch}
	h.open = append(h.open, g)
	h.newest.Store(epoch)
	return g
}

// exit removes a snapshot that is being closed, and frees the nodes and strings that it kept, or
// passes them to the previous snapshot.
func (h *held) exit(g *generation) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := 0
	for h.open[i] != g {
		i++
	}
	h.open = append(h.open[:i], h.open[i+1:]...)
	if i > 0 {
		before := h.open[i-1]
		for _, r := range g.nodes {
			if r.birth <= before.epoch {
				before.nodes = append(before.nodes, r)
			} else {
				h.nodes = append(h.nodes, r.number)
			}
		}
		before.texts = append(before.texts, g.texts...)
	} else {
		for _, r := range g.nodes {
			h.nodes = append(h.nodes, r.number)
		}
		h.texts = append(h.texts, g.texts...)
	}
	g.nodes, g.texts = nil, nil
	h.some.Store(len(h.nodes)+len(h.texts) > 0)
	newest := uint64(0)
	if n := len(h.open); n > 0 {
		newest = h.open[n-1].epoch
	}
	h.newest.Store(newest) // once, because the writer reads it unlocked and must not see a false 0
	if newest == 0 && h.closed {
		return h.giveBack()
	}
	return nil
}

// leave records that the map is closed. It releases the memory unless a snapshot is open.
func (h *held) leave() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	if len(h.open) > 0 {
		return nil
	}
	return h.giveBack()
}

// sizes returns the number of open snapshots, the number of nodes and of strings that only
// snapshots see, and the number of nodes that are ready for the writer.
func (h *held) sizes() (open, nodes, texts, waiting int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.open {
		nodes += len(g.nodes)
		texts += len(g.texts)
	}
	return len(h.open), nodes, texts, len(h.nodes)
}
