package crash

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/coppice-go/coppice/arena"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/slab"
	"github.com/coppice-go/coppice/store"
)

// endless maps the names of child processes to functions that allocate until they are killed.
var endless = map[string]func() error{
	"grow a store":            growStore,
	"grow a store by Writers": growByWriters,
	"open and close stores":   openAndClose,
	"grow a slab":             growSlab,
	"grow an arena":           growArena,
}

// rounds is how many times each child process is started and killed.
const rounds = 25

// enough is the number of 64-byte records, 64 MiB in total, after which a child process frees its
// memory and starts over.
const enough = 1 << 20

// longest is the maximum CPU time that a child process uses before it is killed.
const longest = 40 * time.Millisecond

// waitForWork waits until the child process has used the given additional amount of CPU time. This
// makes the test independent of the load of the machine.
func (p *process) waitForWork(t *testing.T, more time.Duration) {
	t.Helper()
	until := p.worked(t) + more
	for deadline := time.Now().Add(2 * time.Minute); p.worked(t) < until; {
		if time.Now().After(deadline) {
			t.Fatalf("the child had a processor for no more than %v, want %v", p.worked(t), until)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// worked returns the CPU time that the child process has used so far.
func (p *process) worked(t *testing.T) time.Duration {
	t.Helper()
	var now unix.Timespec
	// The clock ID consists of the process ID and CPUCLOCK_SCHED, as in clock_getcpuclockid.
	if err := unix.ClockGettime(int32(^p.Process.Pid<<3|2), &now); err != nil {
		t.Fatal(err)
	}
	return time.Duration(now.Nano())
}

// record is a 64-byte value.
type record struct {
	id    uint64
	words [7]uint64
}

// TestKilledInGrowth verifies that a child process leaves nothing on the machine, whenever it is
// killed. Stores consist of anonymous memory, which the kernel frees with the process.
func TestKilledInGrowth(t *testing.T) {
	for name := range endless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := random.New(t)
			for range rounds {
				p := start(t, name)
				p.waitForWork(t, time.Duration(r.Int64N(int64(longest))))
				if shared := p.shared(t); len(shared) > 0 {
					t.Errorf("the child shares memory: %q", shared)
				}
				if err := p.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				if code, signal, out := p.end(t); signal != syscall.SIGKILL || out != "" || p.errs.Len() > 0 {
					t.Fatalf("exit code %d, signal %v; it printed %q and %q", code, signal, out, &p.errs)
				}
				if left := p.leftFiles(t); len(left) > 0 {
					t.Errorf("the child left %q", left)
				}
			}
		})
	}
}

// growStore repeatedly grows and trims the same store.
func growStore() error {
	s, err := store.New[record](store.Options{Max: 2 * enough})
	ready()
	for err == nil {
		for range enough {
			s.Alloc(record{})
		}
		s.AllocText("text")
		s.Reset()
		err = s.Trim()
	}
	return err
}

func growByWriters() error {
	s, err := store.New[record](store.Options{Max: 2 * enough})
	ready()
	for err == nil {
		var working sync.WaitGroup
		for range 4 {
			working.Go(func() {
				w := s.Writer()
				defer w.Close()
				for range enough / 4 {
					w.Alloc(record{})
				}
			})
		}
		working.Wait()
		s.Reset()
		err = s.Trim()
	}
	return err
}

func openAndClose() error {
	ready()
	for {
		s, err := store.New[record](store.Options{})
		if err != nil {
			return err
		}
		s.Make(1000)
		s.AllocText("text")
		if err := s.Close(); err != nil {
			return err
		}
	}
}

func growSlab() error {
	var s slab.Slab[*record]
	ready()
	for {
		for range enough {
			*s.New() = &record{}
		}
		s.Reset()
	}
}

func growArena() error {
	var a arena.Arena
	ready()
	for {
		for range enough {
			arena.New[record](&a)
			*arena.New[*record](&a) = nil
		}
		a.Reset()
	}
}
