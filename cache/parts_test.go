package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A table contains the hashes that were inserted and not removed, in order, however they are
// distributed. It can grow in place.
func TestTable(t *testing.T) {
	for name, hash := range map[string]func(*rand.Rand) uint32{
		"random":  func(r *rand.Rand) uint32 { return r.Uint32() },
		"few":     func(r *rand.Rand) uint32 { return r.Uint32N(20) << 27 },
		"crowded": func(r *rand.Rand) uint32 { return 1<<31 + r.Uint32N(1<<22) },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			slots := make([]uint64, 2048)
			for i := range slots {
				slots[i] = ^uint64(0) // the slots that the table does not have yet may contain anything
			}
			clear(slots[:256])
			table, want := newTable(slots[:256]), map[uint64]uint32{} // from positions of blocks to hashes
			grown := 0
			for at := uint64(0); at < 20_000; at++ {
				if r.IntN(2) == 0 || table.count >= mostOf(len(table.slots)) {
					for old, h := range want { // an arbitrary one
						i, ok := table.find(h, old)
						if !ok {
							t.Fatalf("hash %#x at %d is not found", h, old)
						}
						table.remove(i)
						delete(want, old)
						break
					}
				}
				if h := hash(r); table.insert(h, at) {
					want[at] = h
				} else if name == "random" {
					t.Fatalf("%d of %d slots are in use, and there is no room", table.count, len(table.slots))
				}
				if at%5000 == 4999 && grown < 3 {
					grown++
					table.grow(slots[:256<<grown])
				}
				if at%1997 == 0 {
					expectTable(t, &table, want)
				}
			}
			expectTable(t, &table, want)
		})
	}
}

func expectTable(t *testing.T, table *table, want map[uint64]uint32) {
	t.Helper()
	if table.count != len(want) {
		t.Fatalf("%d entries, want %d", table.count, len(want))
	}
	for at, h := range want {
		if _, ok := table.find(h, at); !ok {
			t.Fatalf("hash %#x at %d is not found", h, at)
		}
		if _, ok := table.find(h, at+1<<20); ok {
			t.Fatal("a block is found that is not there")
		}
	}
	var hashes []uint32
	for _, slot := range table.slots {
		if slot != 0 {
			hashes = append(hashes, hashOf(slot))
		}
	}
	if !slices.IsSorted(hashes) || len(hashes) != len(want) {
		t.Fatalf("%d slots are in use, want %d, in order: %t", len(hashes), len(want), slices.IsSorted(hashes))
	}
}

// A table rejects an entry if all slots after the last home are in use. When the table grows, it
// has room for all its entries.
func TestTableOfOneHash(t *testing.T) {
	slots := make([]uint64, 4096)
	table, want := newTable(slots[:2048]), map[uint64]uint32{}
	for n := uint64(0); table.insert(0xFFFFFFFF, n); n++ {
		want[n] = 0xFFFFFFFF
	}
	if len(want) != tailSlots {
		t.Fatalf("%d entries of the last hash, want %d", len(want), tailSlots)
	}
	for _, n := range []int{2049, 3000, 4096} {
		table.grow(slots[:n])
		expectTable(t, &table, want)
	}
}

// A ghost contains nearly all of the last n hashes that were added, and hardly any others, even
// after its counter has wrapped many times.
func TestGhost(t *testing.T) {
	const n = 4096
	for _, words := range []int{n * 2, n * 16} {
		g := newGhost(make([]uint32, words))
		if words == n*2 {
			g.added = 1<<16<<g.shift - n/2 // the counter wraps soon
		}
		r := rand.New(rand.NewPCG(1, 1))
		var last []uint64
		for range count(40 * n) {
			h := r.Uint64()
			g.add(h, kind(h&1))
			last = append(last, h)
		}
		known, strange, old, wrong := 0, 0, 0, 0
		for _, h := range last[len(last)-n:] {
			if k, _, ok := g.forget(h, n); ok {
				known++
				if k != kind(h&1) {
					wrong++
				}
			}
			if _, _, ok := g.forget(h, n); ok {
				t.Fatal("a hash was forgotten and is known")
			}
		}
		for _, h := range last[:len(last)-2*n] {
			if _, _, ok := g.forget(h, n); ok {
				old++
			}
		}
		for range n {
			if _, _, ok := g.forget(r.Uint64(), n); ok {
				strange++
			}
		}
		if known < n*97/100 || strange > n/500 || wrong > n/500 || old > n/100 {
			t.Errorf("%d words: of %d that were added last %d are known; %d old ones; of as many that were not added %d; %d of the wrong kind", words, n, known, old, strange, wrong)
		}
	}
}

// A ghost reports only as many of its newest hashes as the caller requests, even if it contains
// more.
func TestGhostLength(t *testing.T) {
	g := newGhost(make([]uint32, 128)) // each bucket receives eight of these hashes
	for h := range uint64(100) {
		g.add(h<<33|h<<25, unused)
	}
	for h := range uint64(100) {
		_, ago, got := g.forget(h<<33|h<<25, 30)
		if want := h >= 70; got != want || got && ago != 100-h {
			t.Errorf("hash %d of 100 is known: %t, want %t; added %d ago", h, got, want, ago)
		}
	}
}

// A ring keeps its blocks in order, whatever their sizes are, and can use at least 90 % of its
// memory.
func TestRing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, limit := range []uint64{110, 1000, 10_000} {
		var q ring
		q.begin(100, limit)
		words := map[uint64]uint64{}
		var order []uint64
		held, most := uint64(0), uint64(0)
		for range 20_000 {
			n := 1 + r.Uint64N(q.size())
			if r.IntN(4) > 0 {
				n = 1 + n/20
			}
			for {
				could := q.has(n)
				at, ok := q.take(n, limit)
				if ok {
					if !could {
						t.Fatal("there was room, and has said that there was none")
					}
					order = append(order, at)
					words[at] = n
					held += n
					break
				}
				if q.empty() {
					t.Fatalf("no room for %d words in an empty ring of %d", n, q.size())
				}
				tail := order[0]
				order = order[1:]
				q.drop(words[tail])
				held -= words[tail]
			}
			most = max(most, held)
			if held > q.size() || q.top() > limit {
				t.Fatalf("%d words in a ring of %d", held, q.size())
			}
		}
		var got []uint64
		q.each(func(at uint64) uint64 {
			got = append(got, at)
			return words[at]
		})
		if !slices.Equal(got, order) {
			t.Errorf("the ring has blocks at %v, want %v", got, order)
		}
		if most < q.size()*9/10 {
			t.Errorf("at most %d of %d words were in use", most, q.size())
		}
	}
}

// A walk visits, in order, every block that stays in the ring, and ends, whatever changes between
// its steps.
func TestWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range count(3000) {
		var q ring
		q.begin(10, 210)
		sizes := map[uint64]uint64{} // from positions of blocks to sizes in words
		var order []uint64
		drop := func() {
			q.drop(sizes[order[0]])
			delete(sizes, order[0])
			order = order[1:]
		}
		change := func() {
			switch n := 1 + r.Uint64N(20); {
			case r.IntN(100) == 0:
				q.begin(10, 210)
				order = nil
				clear(sizes)
			case r.IntN(3) == 0 && len(order) > 0:
				drop()
			default:
				for at, ok := q.take(n, q.limit); ; at, ok = q.take(n, q.limit) {
					if ok {
						order = append(order, at)
						sizes[at] = n
						break
					}
					drop()
				}
			}
		}
		for range r.IntN(60) {
			change()
		}
		stay := map[uint64]bool{} // blocks that have been in the ring since the walk began
		for _, at := range order {
			stay[at] = true
		}
		w := q.walk()
		seen := map[uint64]bool{}
		busy := r.IntN(4)
		for steps := 0; ; steps++ {
			at, ok := w.next(&q)
			if !ok {
				break
			}
			if sizes[at] == 0 || steps > 1000 {
				t.Fatalf("a walk comes to %d after %d steps, and there are %v", at, steps, order)
			}
			seen[at] = true
			w.pass(sizes[at])
			for range r.IntN(busy + 1) {
				gone := append([]uint64(nil), order...)
				change()
				for _, at := range gone {
					if sizes[at] == 0 || len(order) > 0 && order[len(order)-1] == at {
						delete(stay, at)
					}
				}
			}
		}
		for at := range stay {
			if !seen[at] {
				t.Fatalf("a walk has not come to %d", at)
			}
		}
	}
}
