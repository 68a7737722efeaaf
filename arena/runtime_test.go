package arena_test

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/testkit/child"
)

// This file verifies what the package documentation states about the runtime's finalizers, cleanups
// and weak pointers. For the runtime, the object they are attached to is the whole chunk, not the
// value.

// asChild names the environment variable that tells a child process which finalizer to set.
const asChild = "COPPICE_ARENA_CHILD"

// Setting a finalizer on a value ends the process, whether or not the value contains pointers.
func TestFinalizersAreFatal(t *testing.T) {
	var a arena.Arena
	switch os.Getenv(asChild) {
	case "pointers":
		runtime.SetFinalizer(arena.New[pair](&a), func(*pair) {})
		return
	case "plain":
		runtime.SetFinalizer(arena.New[[4]uint64](&a), func(*[4]uint64) {})
		return
	}
	for _, kind := range []string{"pointers", "plain"} {
		cmd, err := child.Command("-test.run=^TestFinalizersAreFatal$")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(os.Environ(), asChild+"="+kind)
		late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
		output, err := cmd.CombinedOutput()
		late.Stop()
		if err == nil || !strings.Contains(string(output), "SetFinalizer: pointer not at beginning of allocated block") {
			t.Errorf("%s: a process that sets a finalizer ended with %v and said\n%s", kind, err, output)
		}
	}
}

// A cleanup of a value runs when the value's chunk is freed, not when the value becomes unreachable
// or when Reset takes it back. A weak pointer likewise remains valid until the chunk is freed, and
// returns whatever value occupies the slot. A finalizer that the runtime accepts also waits until
// then.
func TestWhatTheRuntimeAttachesIsTheChunks(t *testing.T) {
	a := new(arena.Arena)
	arena.New[pair](a)
	old := arena.New[pair](a)
	ran := make(chan string, 2)
	runtime.AddCleanup(old, func(string) { ran <- "the cleanup" }, "")
	runtime.SetFinalizer(arena.New[uint64](a), func(*uint64) { ran <- "the finalizer" })
	slot := weak.Make(old)
	old = nil
	quiet := func(when string) {
		t.Helper()
		runtime.GC()
		runtime.GC()
		select {
		case what := <-ran:
			t.Errorf("%s ran %s", what, when)
		case <-time.After(10 * time.Millisecond):
		}
		if slot.Value() == nil {
			t.Errorf("the weak pointer is nil %s", when)
		}
	}
	quiet("when nobody had the value")
	a.Reset()
	quiet("when Reset had taken the value back")
	a.Reset() // in checked builds, slots rest for one phase
	arena.New[pair](a)
	young := arena.New[pair](a)
	if got := slot.Value(); got != young {
		t.Errorf("the weak pointer of a value shows %p, want the next value in its slot, %p", got, young)
	}
	runtime.KeepAlive(a)
	a, young = nil, nil
	for deadline := time.Now().Add(2 * time.Minute); len(ran) < 2 || slot.Value() != nil; {
		if time.Now().After(deadline) {
			t.Fatalf("the arena was dropped; %d of 2 ran, and the weak pointer is %p", len(ran), slot.Value())
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
