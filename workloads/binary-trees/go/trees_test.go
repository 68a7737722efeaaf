package binarytrees

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

func TestOutput(t *testing.T) {
	files, err := filepath.Glob("../expected/depth-*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("expected outputs: %v, %v", files, err)
	}
	for _, file := range files {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		depth, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "depth-"), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if depth > 16 || depth > 13 && !testsize.Full() || depth > 10 && testing.Short() {
			continue // the lab checks the output of every run, even at the published depth
		}
		for _, strategy := range Strategies {
			for _, workers := range []int{1, 2, 7} {
				t.Run(fmt.Sprintf("alloc=%s/depth=%d/workers=%d", strategy.Name, depth, workers), func(t *testing.T) {
					var out bytes.Buffer
					run := Run{Strategy: strategy, Shape: NewShape(depth), Workers: workers}
					if err := run.Do(t.Context(), &out); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(out.Bytes(), want) {
						t.Errorf("printed\n%swant\n%s", &out, want)
					}
				})
			}
		}
	}
}

// TestStrategiesAreContenders verifies that the lab measures every strategy.
func TestStrategiesAreContenders(t *testing.T) {
	contenders, err := os.ReadFile("contenders.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Strategies {
		if !strings.Contains(string(contenders), fmt.Sprintf(`"-allocator", %q`, s.Name)) {
			t.Errorf("contenders.toml has no contender for %s", s.Name)
		}
	}
}

// TestStrategiesAllocateAsTheySay verifies the number of allocations. A program can print the right
// numbers without doing the work, but this number shows that the nodes are allocated, and by the
// stated strategy.
func TestStrategiesAllocateAsTheySay(t *testing.T) {
	const depth, trees = 12, 20
	const nodes = trees * (2<<depth - 1)
	for _, strategy := range Strategies {
		var atLeast, atMost uint64
		switch strategy.Name {
		case "naive", "naive-shaped":
			atLeast, atMost = nodes, nodes
		case "buffered":
			atLeast, atMost = trees, trees
		case "chunked":
			atLeast, atMost = nodes/chunkLen, nodes/chunkLen+1
		case "pooled":
			atLeast, atMost = nodes/trees, nodes // the garbage collector and the race detector empty the pool
		case "slab", "slab-plain", "arena", "arena-shaped":
			atLeast, atMost = 5, 1000 // checked builds record the caller of every Reset
		case "indexed", "indexed-plain", "unrolled":
			atLeast, atMost = 0, 100
		case "flat":
			atLeast, atMost = trees, 10*trees // each tree needs a Tree, to which handles point
		default:
			t.Fatalf("no statement about %s: say here how much it allocates", strategy.Name)
		}
		w, err := strategy.newWorker(NewShape(depth))
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := closeAll([]worker{w}); err != nil {
				t.Error(err)
			}
		}()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range trees {
			w.count(depth)
		}
		runtime.ReadMemStats(&after)
		const stray = 100 // allocations of the runtime and the test itself
		if got := after.Mallocs - before.Mallocs; got < atLeast || got > atMost+stray {
			t.Errorf("%s: %d allocations for %d trees of %d nodes, want %d to %d",
				strategy.Name, got, trees, nodes/trees, atLeast, atMost)
		}
	}
}

// TestUnrolledCountsWhatIsThere verifies that the unrolled code follows the links: if a node loses
// its children, the count decreases by the size of the lost subtrees.
func TestUnrolledCountsWhatIsThere(t *testing.T) {
	for depth := range 10 {
		w, err := newUnrolled(NewShape(depth))
		if err != nil {
			t.Fatal(err)
		}
		u := w.(*unrolled)
		nodes := u.tree(depth)
		count := func() int { return countUnrolled(nodes, nodes[u.root]) }
		if got := count(); got != 2<<depth-1 {
			t.Errorf("a tree of depth %d has %d nodes", depth, got)
		}
		for at, links := range nodes {
			nodes[at] = 0
			lost := countSmall(nodes, links) - 1
			if got := count(); at > 0 && got != 2<<depth-1-lost {
				t.Errorf("depth %d: without the children of #%d there are %d nodes, want %d", depth, at, got, 2<<depth-1-lost)
			}
			nodes[at] = links
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNumbersAreIndexes(t *testing.T) {
	for i, s := range Strategies {
		if s.Number != i || s.Name == "" || s.Does == "" || s.Claim == "" {
			t.Errorf("strategy %d is %+v", i, s)
		}
	}
}

func TestProgressAddsUpToAllNodes(t *testing.T) {
	shape := NewShape(11)
	progress := make(chan uint64, 1000)
	run := Run{Strategy: Strategies[4], Shape: shape, Workers: 3, Progress: func(n uint64) { progress <- n }}
	if err := run.Do(t.Context(), new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	close(progress)
	var sum uint64
	for n := range progress {
		sum += n
	}
	if sum != shape.TotalNodes() {
		t.Errorf("progress of %d nodes, want %d", sum, shape.TotalNodes())
	}
}

func TestMinBytes(t *testing.T) {
	naive, slab := Strategies[0], Strategies[4]
	const tree21 = (2<<21 - 1) * 2 * strconv.IntSize / 8
	const tree20 = (2<<20 - 1) * 2 * strconv.IntSize / 8
	const stretch = (2<<22 - 1) * 2 * strconv.IntSize / 8
	for _, c := range []struct {
		strategy       Strategy
		depth, workers int
		want           uint64
	}{
		{naive, 21, 1, stretch},              // the stretch tree is twice as big as the long-lived tree
		{naive, 21, 7, tree21 + 7*tree20},    // the deepest short-lived trees have depth 20
		{naive, 21, 999, tree21 + 32*tree20}, // there are only 32 of them
		{slab, 21, 2, stretch + 2*tree20},
	} {
		if got := NewShape(c.depth).MinBytes(c.strategy, c.workers); got != c.want {
			t.Errorf("%s at depth %d with %d workers: %d bytes, want %d", c.strategy.Name, c.depth, c.workers, got, c.want)
		}
	}
	if got := NewShape(GreatestDepth).MinBytes(naive, 1); got < 1<<44 {
		t.Errorf("depth %d needs %d bytes: the sum overflowed", GreatestDepth, got)
	}
}

// failing is an output that accepts the given number of lines and then fails.
type failing struct{ lines int }

var errFull = errors.New("disk full")

func (f *failing) Write(line []byte) (int, error) {
	if f.lines--; f.lines < 0 {
		return 0, errFull
	}
	return len(line), nil
}

func TestEveryFailedWriteEndsTheRun(t *testing.T) {
	const lines = 4 // at depth 6: the stretch tree, depths 4 and 6, and the long-lived tree
	for n := range lines + 1 {
		out := &failing{n}
		err := Run{Strategy: Strategies[1], Shape: NewShape(6), Workers: 2}.Do(t.Context(), out)
		if (n < lines) != errors.Is(err, errFull) || n < lines && out.lines != -1 {
			t.Errorf("after %d lines the output failed, %d times, and Do returned %v", n, -out.lines, err)
		}
	}
}

func TestCancelledRunEndsEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	err := Run{Strategy: Strategies[4], Shape: NewShape(10), Workers: 2}.Do(ctx, &out)
	if !errors.Is(err, context.Canceled) || strings.Contains(out.String(), "long lived") {
		t.Errorf("a cancelled run returned %v and printed\n%s", err, &out)
	}
}

func TestFlatTreesEnd(t *testing.T) {
	if _, err := newFlat(NewShape(28)); err != nil {
		t.Error(err)
	}
	if _, err := newFlat(NewShape(29)); err == nil || !strings.Contains(err.Error(), "take a depth up to 28") {
		t.Errorf("depth 29 gave %v", err)
	}
}
