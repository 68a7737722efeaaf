package slab_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/slab"
)

// This file verifies what the package documentation states about finalizers, cleanups and weak
// pointers. For the runtime, the object is the chunk and not the value.

// asChild is the environment variable that makes a test run as a child process, which crashes.
const asChild = "COPPICE_SLAB_CHILD"

// Setting a finalizer on a value crashes the program.
func TestFinalizersAreFatal(t *testing.T) {
	if os.Getenv(asChild) != "" {
		var s slab.Slab[node]
		runtime.SetFinalizer(s.New(), func(*node) {})
		return
	}
	cmd, err := child.Command("-test.run=^TestFinalizersAreFatal$")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), asChild+"=1")
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	output, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(output), "SetFinalizer: pointer not at beginning of allocated block") {
		t.Errorf("a process that sets a finalizer ended with %v and said\n%s", err, output)
	}
}

// The runtime does not detect a finalizer on the first slot of a chunk, which New allocates last,
// or on a small value without pointers. Such a finalizer belongs to the chunk.
func TestFinalizersThatAreNotFatalWaitForTheChunk(t *testing.T) {
	first := &slab.Slab[node]{Options: slab.Options{FirstChunk: 64, MaxChunk: 64}}
	row := first.Make(64)
	waitsForTheChunk(t, &row[0], func(p *node, run func()) { runtime.SetFinalizer(p, func(*node) { run() }) }, first.Reset, &first)

	small := &slab.Slab[uint64]{Options: slab.Options{FirstChunk: 64, MaxChunk: 64}}
	waitsForTheChunk(t, small.New(), func(p *uint64, run func()) { runtime.SetFinalizer(p, func(*uint64) { run() }) }, small.Reset, &small)
}

// A cleanup of a value runs when its chunk is freed. It does not run when the value becomes
// unreachable, or when Reset takes the value back.
func TestCleanupsWaitForTheChunk(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 64, MaxChunk: 64}}
	s.New()
	waitsForTheChunk(t, s.New(), func(p *node, run func()) {
		runtime.AddCleanup(p, func(int) { run() }, 0)
	}, s.Reset, &s)
}

// waitsForTheChunk verifies that the function that attach attaches to a value runs when the slab is
// dropped. It must not run earlier, when the value becomes unreachable or is taken back.
func waitsForTheChunk[T, S any](t *testing.T, v *T, attach func(v *T, run func()), reset func(), holder **S) {
	t.Helper()
	ran := make(chan struct{})
	attach(v, func() { close(ran) })
	v = nil
	collectTwice := func() (done bool) {
		for range 2 {
			runtime.GC()
		}
		select {
		case <-ran:
			return true
		case <-time.After(10 * time.Millisecond):
			return false
		}
	}
	if collectTwice() {
		t.Error("it ran when nobody had the value")
	}
	reset()
	if collectTwice() {
		t.Error("it ran when Reset had taken the value back")
	}
	runtime.KeepAlive(*holder)
	*holder, reset = nil, nil
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if collectTwice() {
			return
		}
	}
	t.Error("it did not run when the slab was dropped")
}

// A weak pointer to a value refers to its slot. It is valid as long as the chunk lives, and returns
// the value that currently occupies the slot.
func TestWeakPointersFollowTheSlot(t *testing.T) {
	s := &slab.Slab[node]{Options: slab.Options{FirstChunk: 4, MaxChunk: 4}}
	old := weak.Make(&s.Make(1)[0])
	for range 2 {
		runtime.GC()
	}
	if old.Value() == nil {
		t.Fatal("the weak pointer is nil while the chunk lives")
	}
	s.Reset()
	s.Reset() // checked builds quarantine slots for one phase
	young := &s.Make(4)[0]
	young.left = young
	if got := old.Value(); got != young || got.left != young {
		t.Errorf("the weak pointer of a value shows %p, want the next value in its slot, %p", got, young)
	}
	runtime.KeepAlive(s)
	s, young = nil, nil
	for range 1000 {
		if runtime.GC(); old.Value() == nil {
			return
		}
	}
	t.Error("the weak pointer is not nil though the chunk is gone")
}
