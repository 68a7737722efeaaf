package texts_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/texts"
	"github.com/coppice-go/coppice/internal/vmem"
	"pgregory.net/rapid"
)

// open returns a heap that is closed at the end of the test.
func open(t interface{ Cleanup(func()) }, most uintptr) *texts.Heap {
	h := texts.Open(most, vmem.HugeAuto, vmem.NewAccount("texts test", 0))
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func TestHeapAgainstModel(t *testing.T) { againstModel(t) }

// TestMovingHeapAgainstModel repeats the test with memory that moves at each commit. The old memory
// is overwritten, so that a stale reference to it is detected.
func TestMovingHeapAgainstModel(t *testing.T) {
	vmem.MoveAlways(true, true)
	defer vmem.MoveAlways(false, false)
	againstModel(t)
}

func againstModel(t *testing.T) {
	random.Check(t, func(t *rapid.T) {
		h := texts.Open(1<<20, vmem.HugeAuto, vmem.NewAccount("model", 0))
		defer h.Close()
		model := map[texts.Ref]string{}
		var refs []texts.Ref
		letter := byte('a')
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				n := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(100, 300), rapid.SampledFrom([]int{127, 128, 16383, 16384})).Draw(t, "n")
				letter++
				text := strings.Repeat(string(rune('a'+letter%26)), n)
				ref, err := h.PutString(text)
				if err != nil {
					t.Skip("full")
				}
				if _, ok := model[ref]; ok && ref != 0 {
					t.Fatalf("ref %d names two texts", ref)
				}
				if ref != 0 {
					model[ref] = text
					refs = append(refs, ref)
				}
			},
			"free": func(t *rapid.T) {
				if len(refs) == 0 {
					t.Skip("empty")
				}
				i := rapid.IntRange(0, len(refs)-1).Draw(t, "i")
				if !h.Free(refs[i]) {
					t.Fatal("Free does not know a live text")
				}
				delete(model, refs[i])
				refs = append(refs[:i], refs[i+1:]...)
			},
			"reset": func(t *rapid.T) {
				if rapid.IntRange(0, 20).Draw(t, "rarely") == 0 {
					h.Reset()
					clear(model)
					refs = nil
				}
			},
			"clone": func(t *rapid.T) {
				clone, err := h.Clone(vmem.NewAccount("clone", 0))
				if err != nil {
					t.Fatal(err)
				}
				if err := h.Close(); err != nil {
					t.Fatal(err)
				}
				*h = *clone
			},
			"": func(t *rapid.T) {
				for ref, want := range model {
					if got, ok := h.Bytes(ref); !ok || string(got) != want || !h.Equal(ref, want) || h.Equal(ref, want+"x") {
						t.Fatalf("ref %d is %q, %v, want %q", ref, got, ok, want)
					}
				}
			},
		})
	})
}

// Room returns a text of at least the requested size, which the caller fills in.
func TestRoom(t *testing.T) {
	h := open(t, 0)
	for _, n := range []int{0, 1, 3, 4, 63, 64, 65, 126, 127, 128, 129, 1000, 16381, 16382, 16383, 16384, 1 << 20} {
		ref, start, err := h.Room(n)
		if err != nil {
			t.Fatal(err)
		}
		room, ok := h.Bytes(ref)
		if !ok || len(room) < n || len(room) > max(7, n+n/8+4) {
			t.Fatalf("room for %d has %d bytes, %v", n, len(room), ok)
		}
		copy(h.From(ref, start), "x")
		if len(room) > 0 && room[0] != 'x' {
			t.Errorf("room for %d does not begin at %d", n, start)
		}
		if _, err := h.PutString("behind"); err != nil {
			t.Fatal(err)
		}
		dead := h.Dead()
		h.Free(ref)
		if h.Dead() == dead {
			t.Error("nothing is dead")
		}
		again, _, err := h.Room(n)
		if err != nil || again != ref || h.Dead() != dead {
			t.Errorf("a dead block for %d does not serve; %v", n, err)
		}
	}
	if h.From(1, 0) != nil || h.From(1<<30, 5) != nil || len(h.From(256, int(h.Used())-1025)) != 1 {
		t.Error("bytes that the heap does not have")
	}
	if _, _, err := h.Room(1<<30 + 1); !errors.Is(err, texts.ErrFull) {
		t.Errorf("more than a text can be: %v", err)
	}
}

func TestMemoryIsUsedAgain(t *testing.T) {
	h := open(t, 0)
	var refs []texts.Ref
	put := func(n int) {
		ref, err := h.PutString(strings.Repeat("x", n))
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	for i := range 1000 {
		put(1 + i%200)
	}
	used := h.Used()
	for round := range 50 {
		for _, ref := range refs {
			h.Free(ref)
		}
		if h.Used() != 1024 || h.Dead() != 0 {
			t.Fatalf("without texts %d bytes are used, %d of them dead", h.Used(), h.Dead())
		}
		refs = refs[:0]
		for i := range 1000 {
			put(1 + (i+round)%200)
		}
	}
	if h.Used() != used || h.Dead() != 0 {
		t.Errorf("%d bytes used, %d dead; at first %d and 0", h.Used(), h.Dead(), used)
	}
}

// lengths contains rules for the lengths of texts. Most of them depend on the generation.
var lengths = map[string]func(random *rand.Rand, generation int) int{
	"longer":  func(r *rand.Rand, g int) int { return 8 + g/2 + r.IntN(8) },
	"shorter": func(r *rand.Rand, g int) int { return 120 - g + r.IntN(8) },
	"waves":   func(r *rand.Rand, g int) int { return 20 + 8*(g%7) + r.IntN(20) },
	"any":     func(r *rand.Rand, _ int) int { return 1 + r.IntN(200) },
	"few":     func(_ *rand.Rand, g int) int { return 1 + (g*37)%100 },
}

// When the lengths of texts change over time, a heap can still reuse all its memory. If the owner
// allows texts to move, the heap also shrinks when its texts become shorter.
func TestDriftingLengths(t *testing.T) {
	n, generations := 2000, 40
	if testsize.Full() {
		n, generations = 20_000, 100
	}
	for name, length := range lengths {
		for _, order := range []string{"in order", "at random", "all at once"} {
			for _, moves := range []bool{false, true} {
				c := churn{t: t, h: open(t, 0), texts: make([]texts.Ref, n), random: rand.New(rand.NewPCG(1, 2))}
				if moves {
					c.h.Owner = c.owner
				}
				for g := range generations {
					c.generation(order, func() int { return length(c.random, g) })
					least := c.live
					if !moves {
						least = c.peak
					}
					if ratio := float64(c.h.Used()) / float64(least+1024); g > 0 && ratio > 1.5 {
						t.Errorf("%s, %s, moves %v: generation %d uses %.2f times the bytes of its texts", name, order, moves, g, ratio)
						break
					}
				}
				c.check()
			}
		}
	}
}

// A churn repeatedly replaces the texts of a heap.
type churn struct {
	t          *testing.T
	h          *texts.Heap
	random     *rand.Rand
	texts      []texts.Ref
	live, peak uint64
}

// owner returns the address of the Ref of a text, so that the heap can move the text. It returns
// nil if the text is not in c.texts.
func (c *churn) owner(_ []byte, ref texts.Ref) *texts.Ref {
	i := slices.Index(c.texts, ref)
	if i < 0 {
		return nil
	}
	return &c.texts[i]
}

// free frees the text with index i, unless it is empty.
func (c *churn) free(i int) {
	b, ok := c.h.Bytes(c.texts[i])
	if !ok {
		c.t.Fatal("a text is gone")
	}
	if c.texts[i] != 0 {
		c.live -= cost(len(b))
		c.h.Free(c.texts[i])
		c.texts[i] = 0
	}
}

// cost returns the maximum number of bytes that a text of n bytes takes.
func cost(n int) uint64 { return max(8, uint64(n+5)&^3) * 9 / 8 }

func (c *churn) generation(order string, length func() int) {
	if order == "all at once" {
		for i := range c.texts {
			c.free(i)
		}
	}
	for i := range c.texts {
		if order == "at random" {
			i = c.random.IntN(len(c.texts))
		}
		c.free(i)
		n := length()
		ref, err := c.h.PutString(strings.Repeat(string(rune('a'+i%26)), n))
		if err != nil {
			c.t.Fatal(err)
		}
		c.texts[i] = ref
		c.live += cost(n)
		c.peak = max(c.peak, c.live)
	}
}

// check fails the test if a text has changed.
func (c *churn) check() {
	for i, ref := range c.texts {
		b, ok := c.h.Bytes(ref)
		if !ok || strings.Trim(string(b), string(rune('a'+i%26))) != "" {
			c.t.Fatalf("text %d is %q", i, b)
		}
	}
}

// If no fresh memory is left, a heap uses larger dead blocks.
func TestLargerBlocksServe(t *testing.T) {
	h := open(t, 1<<16)
	var refs []texts.Ref
	for {
		ref, err := h.PutString(strings.Repeat("x", 1000))
		if err != nil {
			if !errors.Is(err, texts.ErrFull) {
				t.Fatal(err)
			}
			break
		}
		refs = append(refs, ref)
	}
	for _, ref := range refs {
		h.Free(ref)
	}
	seen := map[texts.Ref]bool{}
	for range 60 * 40 {
		ref, err := h.PutString("a dozen byte")
		if err != nil {
			t.Fatalf("after %d: %v", len(seen), err)
		}
		if seen[ref] {
			t.Fatal("a block is handed out twice")
		}
		seen[ref] = true
	}
}

func TestFailingCommits(t *testing.T) {
	h := open(t, 0)
	defer vmem.FailCommit(-1)
	vmem.FailCommit(0)
	if _, err := h.PutString("x"); !errors.Is(err, texts.ErrFull) || !errors.Is(err, vmem.ErrNoMemory) {
		t.Fatal(err)
	}
	vmem.FailCommit(-1)
	kept, err := h.PutString("kept")
	if err != nil {
		t.Fatal(err)
	}
	vmem.FailCommit(0)
	if _, err := h.Clone(vmem.NewAccount("clone", 0)); err == nil {
		t.Error("a clone without memory")
	}
	if _, err := h.PutString(strings.Repeat("x", 1<<17)); !errors.Is(err, texts.ErrFull) {
		t.Error(err)
	}
	if !h.Equal(kept, "kept") {
		t.Error("a failure harmed a text")
	}
}

// Whatever the memory contains and whatever Refs are passed, no call accesses memory outside the
// heap, and every call returns.
func TestHostile(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range rounds {
		h := open(t, 1<<16)
		used := uint64(1024 + 4*random.IntN(500))
		err := h.Load(used, random.Uint64(), func(r *vmem.Region) error { return r.Commit(uintptr(used)) })
		if err != nil {
			t.Fatal(err)
		}
		contents := h.Contents()
		for i := range contents {
			switch random.IntN(4) {
			case 0:
				contents[i] = byte(random.Uint32())
			case 1:
				contents[i] = 0xff
			}
		}
		for range 500 {
			ref := texts.Ref(random.Uint32N(2000))
			if random.IntN(10) == 0 {
				ref = random.Uint32()
			}
			h.From(ref, random.IntN(1<<16))
			switch random.IntN(5) {
			case 4:
				_, _, _ = h.Room(random.IntN(200))
			case 0:
				h.Free(ref)
			case 1:
				_, _ = h.Put(make([]byte, random.IntN(200)))
			case 2:
				h.Equal(ref, strings.Repeat("\xff", random.IntN(140)))
			}
			b, ok := h.Bytes(ref)
			if ok && uint64(len(b)) > h.Used() {
				t.Fatal("a text longer than the heap")
			}
			if h.Used() > 1<<16 {
				t.Fatal("more than the region is used")
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoad(t *testing.T) {
	h := open(t, 0)
	a, _ := h.PutString("coppice, or alder")
	b, _ := h.PutString(strings.Repeat("stump", 1000))
	h.Free(a)
	again := open(t, 0)
	err := again.Load(h.Used(), h.Dead(), func(r *vmem.Region) error { return r.Commit(uintptr(h.Used())) })
	if err != nil {
		t.Fatal(err)
	}
	copy(again.Contents(), h.Contents())
	if !again.Equal(b, strings.Repeat("stump", 1000)) {
		t.Error("a text is not what it was")
	}
	if c, _ := again.PutString("poplars or willow"); c != a || again.Dead() != 0 {
		t.Error("a dead block is not used again")
	}
	for _, used := range []uint64{4, 1020, 1026, 1 << 40} {
		if err := open(t, 0).Load(used, 0, func(r *vmem.Region) error { return nil }); err == nil {
			t.Errorf("%d bytes are taken", used)
		}
	}
	if err := open(t, 0).Load(1<<12, 0, func(r *vmem.Region) error { return nil }); err == nil {
		t.Error("contents that nobody filled in are taken")
	}
}

// If the system refuses memory for the first text of a heap, Reset makes the heap empty, and it
// accepts texts again.
func TestResetAfterRefusedMemory(t *testing.T) {
	h := texts.Open(0, vmem.HugeAuto, vmem.NewAccount(t.Name(), 0))
	vmem.FailCommit(0)
	_, err := h.PutString("refused")
	vmem.FailCommit(-1)
	if !errors.Is(err, texts.ErrFull) {
		t.Fatal(err)
	}
	h.Reset()
	ref, err := h.PutString("taken")
	if err != nil {
		t.Fatal(err)
	}
	if !h.Equal(ref, "taken") {
		t.Error("another text is there")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}
