package crash

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/inline"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/pool"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

// exhausting contains the functions of the child processes that grow the Go heap until the kernel
// refuses memory.
var exhausting = map[string]func() error{
	"a slab":         exhaustSlab,
	"an arena":       exhaustArena,
	"a pool":         exhaustPool,
	"a vector":       exhaustVec,
	"a Go slice":     exhaustSlice, // the reference for all others
	"many Go stores": exhaustStores,
}

// If an allocator on the Go heap runs out of memory, the program ends like any other Go program:
// with a fatal error and exit code 2. The error cannot be recovered, and no allocator returns nil
// or an invalid pointer.
func TestExhausted(t *testing.T) {
	child.SkipEmulated(t, "limits on memory bind the emulator and not the program")
	if raceDetector() {
		t.Skip("a limit on memory ends the race detector, not the program")
	}
	for name := range exhausting {
		t.Run(name, func(t *testing.T) {
			if name == "many Go stores" && !vmem.GoMemory {
				t.Skip("here stores are not Go memory: TestRefused")
			}
			p := start(t, name)
			code, signal, out := p.end(t)
			errs := p.errs.String()
			if code != 2 || out != "" || !outOfMemory.MatchString(errs) {
				t.Errorf("exit code %d, signal %v; it printed %q and\n%s", code, signal, out, errs)
			}
			if left := p.leftFiles(t); len(left) > 0 {
				t.Errorf("the child left %q", left)
			}
		})
	}
}

// outOfMemory matches the messages of the Go runtime about its heap or its own data structures.
var outOfMemory = regexp.MustCompile(`(?m)^fatal error: (runtime: )?(out of memory|cannot allocate memory)`)

// raceDetector reports whether this is a build with -race. In such a build, stores are Go memory,
// as on 32-bit machines.
func raceDetector() bool { return vmem.GoMemory && strconv.IntSize == 64 }

// small limits the memory of this process to its current size and some MiB. Unlike the limits of
// TestRefused, it leaves no extra room. It also disables garbage collection, because the collector
// of Go 1.26 allocates memory for its queues, and dereferences a nil pointer if the kernel refuses
// that memory (runtime.(*spanQueue).tryDrain).
func small() error {
	debug.SetGCPercent(-1)
	now, err := statusBytes("VmData")
	if err != nil {
		return err
	}
	ready()
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: now + more, Max: now + more})
}

func exhaustSlab() error {
	var s slab.Slab[record]
	if err := small(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if v := s.New(); *v != (record{}) {
			return fmt.Errorf("value %d is %v", i, *v)
		} else {
			*v = recordOf(i)
		}
	}
}

func exhaustArena() error {
	var a arena.Arena
	if err := small(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		v, made := arena.New[*record](&a), arena.Make[record](&a, 2)[:1]
		*v = &made[0]
		if made[0] != (record{}) {
			return fmt.Errorf("value %d is %v", i, made[0])
		}
		made[0] = recordOf(i)
	}
}

// kept keeps the values of a child process alive.
var kept []*record

func exhaustPool() error {
	var p pool.Pool[record]
	if err := small(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		v := p.Get()
		if *v != (record{}) {
			return fmt.Errorf("value %d is %v", i, *v)
		}
		kept = append(kept, v)
	}
}

func exhaustVec() error {
	var v inline.Vec[record, [4]record]
	if err := small(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		v.Append(recordOf(i))
		if *v.At(0) != recordOf(0) || *v.At(i) != recordOf(i) {
			return fmt.Errorf("element %d of %d is %v", i, v.Len(), *v.At(i))
		}
	}
}

func exhaustSlice() error {
	if err := small(); err != nil {
		return err
	}
	for {
		kept = append(kept, &record{})
	}
}

func exhaustStores() error {
	if err := small(); err != nil {
		return err
	}
	for {
		s, err := store.New[record](store.Options{Max: 1 << 14})
		if err != nil {
			return err
		}
		_, made := s.Make(s.Max())
		for i := range made {
			made[i] = recordOf(i)
		}
		runtime.KeepAlive(s)
	}
}
