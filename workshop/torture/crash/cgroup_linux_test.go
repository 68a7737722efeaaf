package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/vmem"
	"github.com/coppice-go/coppice/store"
)

// confined maps the names of the child processes that run in a cgroup with a memory limit to their
// functions.
var confined = map[string]func() error{
	"a store beyond its cgroup": beyondTheGroup,
	"stores within a cgroup":    withinTheGroup,
}

// groupBytes is the memory limit of the cgroup.
const groupBytes = 96 << 20

// In a cgroup, the kernel does not refuse memory but kills a process that uses too much. So a
// program whose store grows beyond the limit must end by SIGKILL, and a program that returns unused
// memory must survive.
func TestConfined(t *testing.T) {
	if vmem.GoMemory {
		t.Skip("here stores are Go memory")
	}
	child.SkipEmulated(t, "the emulator's own memory would count")
	for name, want := range map[string]struct {
		signal syscall.Signal
		out    string
	}{
		"a store beyond its cgroup": {syscall.SIGKILL, ""},
		"stores within a cgroup":    {0, "done\n"},
	} {
		t.Run(name, func(t *testing.T) {
			group := newGroup(t)
			p := start(t, name)
			group.add(t, p)
			p.goOn(t)
			if code, signal, out := p.end(t); signal != want.signal || out != want.out || p.errs.Len() > 0 {
				t.Errorf("exit code %d, signal %v; it printed %q and\n%s", code, signal, out, &p.errs)
			}
			if left := p.leftFiles(t); len(left) > 0 {
				t.Errorf("the child left %q", left)
			}
		})
	}
}

// beyondTheGroup stores more records than fit in the memory of the cgroup.
func beyondTheGroup() error {
	s, err := store.New[record](store.Options{})
	if err != nil {
		return err
	}
	waitForParent()
	for i := range 4 * groupBytes / 64 {
		s.Alloc(recordOf(i))
	}
	return nil
}

// withinTheGroup fills two stores in turn, each with two thirds of the cgroup's memory. One store
// can be filled only if the other has returned its memory.
func withinTheGroup() error {
	var stores [2]*store.Store[record]
	var err error
	for i := range stores {
		if stores[i], err = store.New[record](store.Options{}); err != nil {
			return err
		}
	}
	waitForParent()
	const count = groupBytes * 2 / 3 / 64
	for round := range 12 {
		s := stores[round%2]
		for i := range count {
			s.Alloc(recordOf(i))
		}
		if err := intact(s, count); err != nil {
			return err
		}
		switch s.Reset(); round % 4 {
		case 0, 1:
			err = s.Trim()
		default:
			if err = s.Close(); err == nil {
				stores[round%2], err = store.New[record](store.Options{})
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A group is a cgroup with a memory limit.
type group struct{ folder string }

// newGroup creates a cgroup inside the cgroup of this process. It skips the test if the kernel or
// the privileges do not allow that.
func newGroup(t *testing.T) *group {
	t.Helper()
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip("there are no cgroups here:", err)
	}
	var parent, limit string
	for line := range strings.Lines(string(own)) {
		switch field := strings.SplitN(strings.TrimSpace(line), ":", 3); {
		case len(field) < 3:
		case field[1] == "memory": // cgroup version 1
			parent, limit = filepath.Join("/sys/fs/cgroup/memory", field[2]), "memory.limit_in_bytes"
		case field[1] == "" && parent == "":
			parent, limit = filepath.Join("/sys/fs/cgroup", field[2]), "memory.max"
		}
	}
	g := &group{filepath.Join(parent, fmt.Sprintf("coppice-%d", os.Getpid()))}
	if err := os.Mkdir(g.folder, 0o777); err != nil {
		t.Skip("no cgroup can be made here:", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(g.folder); err != nil {
			t.Error(err)
		}
	})
	if err := os.WriteFile(filepath.Join(g.folder, limit), []byte(strconv.Itoa(groupBytes)), 0); err != nil {
		t.Skip("no cgroup with a limit on memory can be made here:", err)
	}
	// Disable swap, so that the limit is effective. The file does not exist if the kernel has no
	// swap.
	_ = os.WriteFile(filepath.Join(g.folder, "memory.swap.max"), []byte("0"), 0)
	return g
}

// add moves a process to the group.
func (g *group) add(t *testing.T, p *process) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(g.folder, "cgroup.procs"), []byte(strconv.Itoa(p.Process.Pid)), 0); err != nil {
		t.Skip("no process can be moved to a cgroup here:", err)
	}
}
