package slab_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/checks"
	"github.com/coppice-go/coppice/internal/chunkrule"
	"github.com/coppice-go/coppice/internal/testkit/memory"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/slab"
	"pgregory.net/rapid"
)

// TestChunksAgainstModel compares Chunks with a simple model. New values are zero, keep what is
// written to them, and share no memory, whatever the order of the calls.
func TestChunksAgainstModel(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		c := slab.Chunks[node]{Options: slab.ChunkOptions{MaxChunk: rapid.IntRange(0, 70).Draw(t, "Max")}}
		var values []*node
		hand := func(v *node) {
			if *v != (node{}) {
				t.Fatal("a value is not zero")
			}
			v.left = v
			values = append(values, v)
		}
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			n := rapid.IntRange(0, 40).Draw(t, "n")
			switch rapid.IntRange(0, 4).Draw(t, "call") {
			case 0:
				for range n {
					hand(c.New())
				}
			case 1:
				made := c.Make(n)
				if len(made) != n || cap(made) != n {
					t.Fatalf("Make(%d) has length %d and capacity %d", n, len(made), cap(made))
				}
				for i := range made {
					hand(&made[i])
				}
			case 2:
				v := c.Alloc(node{right: &node{}})
				if v.right == nil {
					t.Fatal("Alloc forgot the value")
				}
				v.right = nil
				hand(v)
			case 3:
				list := c.SliceOf(make([]node, n)...)
				if len(list) != n || (list == nil) != (n == 0) {
					t.Fatalf("SliceOf of %d values has %d", n, len(list))
				}
				for i := range list {
					hand(&list[i])
				}
			default:
				c.Grow(n)
			}
		}
		seen := map[*node]bool{}
		for _, v := range values {
			if v.left != v || seen[v] {
				t.Fatal("two values share memory")
			}
			seen[v] = true
		}
	})
}

// Whatever the number of its values, an owner takes at most a tenth or 256 bytes more from the Go
// heap than with plain new. Small owners take the same.
func TestChunksTakeLittleMoreThanNew(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	step := 20 // the number of values grows by one part in step
	if testing.Short() {
		step = 5
	}
	for values := 1; values < 20_000; values += 1 + values/step {
		byNew := memory.Bytes(func() {
			kept = nil
			for range values {
				kept = &syntax{next: kept}
			}
		})
		byChunks := memory.Bytes(func() {
			var c slab.Chunks[syntax]
			kept = nil
			for range values {
				kept = c.Alloc(syntax{next: kept})
			}
		})
		if limit := byNew + max(byNew/10, 256) + 100; byChunks > limit { // 100 for the Chunks itself
			t.Errorf("%d values take %d bytes, and %d by new", values, byChunks, byNew)
		}
	}
}

// A value that is still referenced keeps only its own chunk alive. Chunks does not hold on to full
// chunks.
func TestASurvivorPinsOneChunk(t *testing.T) {
	const survivors = 200
	held := memory.Held(func() any {
		var c slab.Chunks[syntax]
		var kept []*syntax
		for i := range survivors * 1000 {
			v := c.New()
			if i%1000 == 0 {
				kept = append(kept, v)
			}
		}
		return kept
	})
	if held < survivors*256 || held > (survivors+2)*1100 {
		t.Errorf("%d survivors keep %d bytes, want a chunk of about 1 KiB each", survivors, held)
	}
}

// TestChunksOfEverySize allocates values of size zero, of odd sizes, and of sizes larger than a
// chunk.
func TestChunksOfEverySize(t *testing.T) {
	chunksOf[struct{}](t)
	chunksOf[byte](t)
	chunksOf[[3]byte](t)
	chunksOf[*int](t)
	chunksOf[[1000]uint64](t)
	chunksOf[[5000]*int](t)
}

func chunksOf[T comparable](t *testing.T) {
	t.Helper()
	var c slab.Chunks[T]
	var zero T
	for i := range 500 {
		if *c.New() != zero || c.Make(3)[2] != zero {
			t.Fatalf("value %d of %s is not zero", i, reflect.TypeFor[T]())
		}
	}
}

func TestChunksGrow(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	allocs := testing.AllocsPerRun(100, func() {
		var c slab.Chunks[node]
		c.Grow(1000)
		for range 500 {
			sink = c.New()
		}
		c.Grow(500) // has room
		sink = &c.Make(500)[0]
	})
	if allocs != 1 {
		t.Errorf("1000 values after Grow(1000) take %v allocations", allocs)
	}
	const exact = 1 << 14                                                                               // a size that the runtime does not round up
	if took := memory.Bytes(func() { new(slab.Chunks[[16]byte]).Grow(exact / 16) }); took > exact+200 { // 200: the Chunks itself
		t.Errorf("a chunk of %d bytes takes %d", exact, took)
	}
}

// The lengths of chunks double at first, up to 256 bytes. Chunks have their maximum length, that is
// MaxChunk or the greatest size, once the number of values is sixteen times this length.
func TestHowLongChunksAre(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	longest := int(chunkrule.Sizes[0]) / 16
	for _, c := range []struct {
		name                   string
		max                    int
		before, values, chunks int
	}{
		{"at first", 0, 0, 1 + 1 + 2 + 4 + 8 + 16 + 16, 7},
		{"at first, with Max", 10, 0, 1 + 1 + 2 + 4 + 8 + 10 + 10, 7},
		{"later", 0, 16 * (longest + 1), longest * 5, 5},
		{"later, with Max", 10, 16 * (longest + 1), 50, 5},
		{"later, with a large Max", 1000, 16 * 1000, 5000, 5},
	} {
		for how, before := range map[string]func(*slab.Chunks[[16]byte]){
			"New":  func(chunks *slab.Chunks[[16]byte]) { chunks.Grow(c.before); newValues(chunks, c.before) },
			"Make": func(chunks *slab.Chunks[[16]byte]) { chunks.Make(c.before) },
		} {
			prepare := func() *slab.Chunks[[16]byte] {
				chunks := &slab.Chunks[[16]byte]{Options: slab.ChunkOptions{MaxChunk: c.max}}
				before(chunks)
				return chunks
			}
			got := testing.AllocsPerRun(100, func() { newValues(prepare(), c.values) }) - testing.AllocsPerRun(100, func() { newValues(prepare(), 0) })
			if int(got) != c.chunks {
				t.Errorf("%s, after %d values by %s: %d values take %v chunks, want %d", c.name, c.before, how, c.values, got, c.chunks)
			}
		}
	}
}

//go:noinline
func newValues(c *slab.Chunks[[16]byte], n int) {
	for range n {
		c.New()
	}
}

// A slice that is long compared with a chunk gets its own memory, and the chunk stays in use.
func TestLongSlicesLeaveTheChunk(t *testing.T) {
	if checks.Enabled {
		t.Skip("a checked build allocates for itself")
	}
	c := &slab.Chunks[[16]byte]{Options: slab.ChunkOptions{MaxChunk: 10}}
	c.Make(1000)
	if allocs := testing.AllocsPerRun(100, func() {
		c.New() // nine are left
		c.Make(10)
		c.New() // eight are left
		c.Make(10)
		newValues(c, 8)
	}); allocs != 3 {
		t.Errorf("a chunk of 10 values and two slices of 10 take %v allocations", allocs)
	}
}

func TestListsAreCopies(t *testing.T) {
	var s slab.Slab[int]
	var c slab.Chunks[int]
	for name, list := range map[string]func(...int) []int{"Slab": s.SliceOf, "Chunks": c.SliceOf} {
		given := []int{1, 2, 3}
		made := list(given...)
		given[1] = 7
		if len(made) != 3 || cap(made) != 3 || made[1] != 2 || list() != nil {
			t.Errorf("%s: a SliceOf is %v, one of nothing %v", name, made, list())
		}
	}
}

func TestChunksMisusePanics(t *testing.T) {
	var c slab.Chunks[node]
	broken := slab.Chunks[node]{Options: slab.ChunkOptions{MaxChunk: -1}}
	for want, f := range map[string]func(){
		"slab.Chunks.Make: negative count -1": func() { c.Make(-1) },
		"slab.Chunks.Grow: negative count -7": func() { c.Grow(-7) },
		"slab.Chunks.Make: ":                  func() { c.Make(math.MaxInt) },
		"slab.Chunks.Grow: ":                  func() { c.Grow(math.MaxInt) },
		"slab.Chunks.New: negative MaxChunk -1": func() {
			for range 100 {
				broken.New()
			}
		},
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panic %q, want %q...", got, want)
		}
	}
	if c.New() == nil {
		t.Error("the Chunks is unusable after a panic")
	}
}

func ExampleChunks() {
	type Node struct {
		Name     string
		Children []*Node
	}
	var nodes slab.Chunks[Node] // a field of a parser, say
	var lists slab.Chunks[*Node]

	root := nodes.Alloc(Node{Name: "root", Children: lists.SliceOf(
		nodes.Alloc(Node{Name: "ash"}),
		nodes.Alloc(Node{Name: "oak"}),
	)})
	for _, child := range root.Children { // root stays valid, because Chunks has no Reset
		fmt.Println(child.Name)
	}
	// Output:
	// ash
	// oak
}
