package btree

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/testsize"
	"github.com/coppice-go/coppice/internal/vmem"
)

// mappings counts those of the process, where the system tells.
func mappings() int {
	text, _ := os.ReadFile("/proc/self/maps")
	return bytes.Count(text, []byte("\n"))
}

// live returns the bytes of the Go heap that are in use.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// A program may have a million small Maps: each costs at most 4 KiB, and no mapping of the system.
func TestManySmallMaps(t *testing.T) {
	n := 10_000
	if testsize.Full() {
		n = 1_000_000
	}
	all := make([]*Map[string, uint64], n)
	before, mapped := live(), mappings()
	for i := range all {
		all[i] = New[string, uint64]()
		all[i].Set("name", uint64(i))
	}
	if each := (live() - before) / uint64(n); each > 4096 {
		t.Errorf("a Map with one entry costs %d bytes", each)
	} else {
		t.Logf("a Map with one entry costs %d bytes", each)
	}
	if more := mappings() - mapped; more > 100+n/1000 {
		t.Errorf("%d Maps have %d mappings", n, more)
	}
	for i, m := range all {
		if v, ok := m.Get("name"); !ok || v != uint64(i) {
			t.Fatalf("Map %d has %d, %v", i, v, ok)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Small Maps whose memory moves at each commit. Snapshots see the old place; what the Map writes there is lost.
func TestSmallMapsMove(t *testing.T) {
	vmem.MoveAlways(true, false)
	defer vmem.MoveAlways(false, false)
	seeds := 10
	if testsize.Full() {
		seeds = 500
	}
	for kind, run := range programs {
		t.Run(kind, func(t *testing.T) {
			for seed := range seeds {
				run(t, t.TempDir(), &lcg{uint64(seed)}, 20+20*(seed%10), false)
			}
		})
	}
}
