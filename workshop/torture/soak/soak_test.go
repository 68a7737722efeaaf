package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

// These are the lengths of soaks in tests.
const (
	testLength = 1200 * time.Millisecond
	leakLength = 400 * time.Millisecond // in a bubble, with a leak in every fiftieth of it
)

func TestHealthySoak(t *testing.T) {
	child.SkipEmulated(t, "the resident set is the emulator's, which keeps all code that it translated")
	var out, errs bytes.Buffer
	code := 0
	for length := testLength; ; length *= 2 {
		out.Reset()
		errs.Reset()
		code = run(t.Context(), []string{"-for", length.String(), "-seed", fmt.Sprint(random.Seed())}, &out, &errs)
		// On a busy machine, a short soak has too few samples.
		if !strings.Contains(errs.String(), "soak for longer") || length > 2*time.Minute {
			break
		}
	}
	if code != 0 || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	for _, want := range []string{`(?m)^handles +\d+ operations\n`, `slab +\d+ operations\n`, `store +\d+ operations\n`,
		`\nsoak: \d+ operations in [0-9ms]+, all contents intact; resident \d+ MiB at first and \d+ at last, \d+ and \d+ memory maps; no goroutine, file or region is left\n$`} {
		if !regexp.MustCompile(want).MatchString(out.String()) {
			t.Errorf("no %s in\n%s", want, &out)
		}
	}
}

// idle is a worker that does nothing, so that only the function disturb has effects.
type idle struct{ damage error }

func (w *idle) round(*rand.Rand) (int, error) {
	time.Sleep(time.Millisecond)
	return 1, w.damage
}

func (w *idle) end() error { return nil }

// TestLeaksAreSeen verifies that each criterion detects a leak, and that the error names the
// leaking resource. The test uses the clock of a bubble, because a busy machine would take too few
// samples.
func TestLeaksAreSeen(t *testing.T) {
	if resident() < 0 {
		t.Skip("/proc does not tell the resident set here")
	}
	child.SkipEmulated(t, "the maps and files of the process are the emulator's")
	var chunks [][]byte
	for name, c := range map[string]struct {
		disturb func(t *testing.T)
		want    string
	}{
		"none": {func(*testing.T) {}, ""},
		"memory": {func(*testing.T) {
			chunks = append(chunks, bytes.Repeat([]byte{1}, 4<<20))
		}, "the resident set grew from "},
		"maps": {func(t *testing.T) {
			for range 10 {
				file, err := os.OpenFile("/dev/zero", os.O_RDWR, 0)
				if err != nil {
					t.Error(err)
					return
				}
				mapOnePage(t, file) // the kernel would merge anonymous pages into one map
				file.Close()
			}
		}, "the count of memory maps grew from "},
		"goroutines": {func(t *testing.T) {
			go func() { <-t.Context().Done() }()
		}, "goroutines at first and "},
		"files": {func(t *testing.T) {
			file, err := os.Open(os.DevNull)
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { file.Close() })
		}, "open files at first and "},
		"stores": {func(t *testing.T) {
			s, err := store.New[int](store.Options{Max: 10, Name: "left open"})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { s.Close() })
		}, `stores "left open" are open, `},
	} {
		inBubble := func(t *testing.T) {
			debug.FreeOSMemory() // already resident memory would hide the growth
			s := &soak{length: leakLength, workers: map[string][]worker{"idle": {&idle{}}}, slack: leastSlack, disturb: func() { c.disturb(t) }}
			report, err := s.run(t.Context())
			switch {
			case c.want == "" && (err != nil || report.verdict == ""):
				t.Errorf("without a leak: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || report.verdict != ""):
				t.Errorf("the error is %v, want %q; the verdict is %q", err, c.want, report.verdict)
			}
		}
		t.Run(name, func(t *testing.T) { synctest.Test(t, inBubble) })
	}
	chunks = nil
}

// TestDamageIsSeen verifies that the workers detect changes of their memory by other code.
func TestDamageIsSeen(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	st, h, sl, v, lost, a := &stores{}, &handles{}, &slabs{}, &vecs{}, &stores{}, &arenas{}
	hm, bt, gone := &tables{kind: hashed}, &tables{kind: sorted}, &tables{kind: sorted}
	for name, c := range map[string]struct {
		worker checker
		damage func()
	}{
		"store": {st, func() { st.store.At(st.refs[len(st.refs)/2]).id++ }},
		"handles": {h, func() {
			p, _ := h.handles.Get(h.live[0])
			p.sum++
		}},
		"slab":    {sl, func() { sl.chain.next.id++ }},
		"inline":  {v, func() { v.want[0] = append(v.want[0], 7) }},
		"arena":   {a, func() { a.branches[0].sum++ }},
		"hashmap": {hm, func() { hm.now.Set(keyOf(hm.live[0].id), numberedOf(hm.live[0].id, 1<<40)) }},
		"btree":   {bt, func() { bt.now.Set("not "+keyOf(bt.live[0].id), numberedOf(bt.live[0].id, 0)) }},
		"gone":    {gone, func() { gone.now.Delete(keyOf(gone.live[1].id)) }},
		"lost":    {lost, func() { lost.store.Alloc(record{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			defer c.worker.end()
			for round := 0; round < 3 || live(c.worker) < 2; round++ {
				if _, err := c.worker.round(random); err != nil {
					t.Fatal(err)
				}
			}
			c.damage()
			if _, err := c.worker.check(random); err == nil {
				t.Error("nobody noticed the damage")
			}
		})
	}
}

// A checker is a worker with many values, which it can check.
type checker interface {
	worker
	check(*rand.Rand) (int, error)
}

// live returns the number of live values of a worker, or 2 if it is not known.
func live(w worker) int {
	switch w := w.(type) {
	case *stores:
		return len(w.refs)
	case *handles:
		return len(w.live)
	case *slabs:
		return w.count
	case *arenas:
		return len(w.branches)
	case *tables:
		return len(w.live)
	}
	return 2
}

// TestWorkerFails verifies that an error or a panic of a worker ends the soak.
func TestWorkerFails(t *testing.T) {
	for want, w := range map[string]worker{
		"some: value 7 is damaged: 8":  &idle{damage: damaged("value", 7, 8)},
		"some: panic: slab.Slab.New: ": &panicking{},
	} {
		s := &soak{length: time.Minute, workers: map[string][]worker{"some": {w}, "idle": {&idle{}}}}
		report, err := s.run(context.Background())
		if err == nil || !strings.HasPrefix(err.Error(), want) || report.verdict != "" {
			t.Errorf("the error is %v, want %s", err, want)
		}
	}
}

type panicking struct{ idle }

func (w *panicking) round(*rand.Rand) (int, error) {
	(&slab.Slab[int]{Options: slab.Options{FirstChunk: -1}}).New()
	return 0, nil
}

func TestArguments(t *testing.T) {
	for want, args := range map[string][]string{
		"soak: -for 1ms is too short; at least 1s; -help lists the flags\n":             {"-for", "1ms"},
		"soak: unexpected argument \"x\"; -help lists the flags\n":                      {"x"},
		"soak: flag provided but not defined: -y; -help lists the flags\n":              {"-y"},
		"soak: invalid value \"z\" for flag -for: parse error; -help lists the flags\n": {"-for", "z"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), args, &out, &errs); code != 2 || errs.String() != want || out.Len() > 0 {
			t.Errorf("%v gave %d, %q and %q, want %q", args, code, &out, &errs, want)
		}
	}
}

// TestInterrupted verifies that an interrupted soak ends early and judges the samples up to then.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(5500*time.Millisecond, stop)
		s := &soak{length: time.Hour, workers: map[string][]worker{"idle": {&idle{}}}}
		report, err := s.run(ctx)
		if err == nil || !strings.Contains(err.Error(), "only 4 samples") || report.took/time.Second != 5 { // without the first fifth, the warm-up
			t.Errorf("%v after %v", err, report.took)
		}
	})
}

// TestPlacesExplainMaps verifies that each additional address range may add four memory maps. More
// maps than that are a leak, and so are too many address ranges.
func TestPlacesExplainMaps(t *testing.T) {
	if resident() < 0 {
		t.Skip("/proc does not tell the resident set here")
	}
	for name, c := range map[string]struct {
		places, maps int64 // growth per sample; there are 30, with thirds 16 apart
		want         string
	}{
		"busy":      {5, 20, ""},
		"maps":      {0, 4, "the count of memory maps grew from "},
		"more maps": {5, 24, "the count of memory maps grew from "},
		"places":    {7, 28, "the count of places of addresses grew from "},
	} {
		before := takeSample()
		samples := make([]sample, 0, 30)
		for i := range int64(30) {
			s := before
			s.places, s.maps = 10+i*c.places, 100+i*c.maps
			samples = append(samples, s)
		}
		_, err := judge(before, samples, leastSlack)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestEveryAllocatorSoaks verifies that every allocator and container of the library has a worker.
func TestEveryAllocatorSoaks(t *testing.T) {
	source, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, name := range source {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, data...)
	}
	for _, room := range []string{"slab", "pool", "arena", "store", "inline", "hashmap", "btree", "cache", "symbols"} {
		folder := filepath.Join("..", "..", "..", room)
		if _, err := os.Stat(folder); err == nil && !bytes.Contains(all, []byte(`coppice/`+room+`"`)) {
			t.Errorf("no worker uses package %s", room)
		}
	}
}

// TestRounds runs every worker in turn, with the checks of a soak except for those of the process.
// It also runs under emulators.
func TestRounds(t *testing.T) {
	rounds := 600
	if testing.Short() {
		rounds = 100
	}
	for name, workers := range everyWorker() {
		t.Run(name, func(t *testing.T) {
			r := random.New(t)
			operations := 0
			for range rounds {
				n, err := workers[0].round(r)
				if operations += n; err != nil {
					t.Fatal(err)
				}
			}
			if err := workers[0].end(); err != nil || operations == 0 {
				t.Errorf("%d operations, %v", operations, err)
			}
		})
	}
	if totals := store.Totals(); len(totals) > 0 {
		t.Errorf("open are %+v", totals)
	}
}
