package cache

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// saver is the name of an environment variable. It contains the path to which a child process of
// TestKillWhileSaving saves.
const saver = "COPPICE_CACHE"

const keysOfState = 6000

// setState stores state under every key, so that a file that mixes two states can be detected.
func setState(c *Cache[uint32, uint64], state uint64) {
	for k := range uint32(keysOfState) {
		_ = c.Set(k, state)
	}
}

// saveStates saves the states 0, 1, 2 and so on to path until the process is killed. It prints each
// state before it saves it.
func saveStates(path string) {
	c := Must(New[uint32, uint64](Options{MaxBytes: 2 << 20, Shards: 2}))
	for i := uint64(0); ; i++ {
		setState(c, i)
		fmt.Println(i)
		if err := c.Save(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// Whenever a process is killed, the file contains either the last state that the process saved or
// the state that it was saving.
func TestKillWhileSaving(t *testing.T) {
	if _, err := os.StartProcess("", nil, &os.ProcAttr{}); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no processes here")
	}
	first := opened[uint32, uint64](t, 2<<20, Options{Shards: 2})
	setState(first, 1)
	path := saved(t, first)
	kills := 50
	switch {
	case testsize.Full():
		kills = 1000
	case testing.Short():
		kills = 8
	}
	r := random.New(t)
	last, torn := uint64(1), 0
	for i := 0; i < kills || torn == 0 && i < 1000; i++ { // most kills interrupt a Save; continue until one has
		before := uint64(i % 3) // number of complete saves before the kill
		told := killedSaver(t, path, before, time.Duration(r.Int64N(int64(4*time.Millisecond))))
		if told < before {
			t.Fatalf("kill %d: the process told of state %d last", i, told)
		}
		if told > 0 {
			last = told - 1 // this state was saved completely
		}
		state := stateOf(t, path)
		if state != told && state != last {
			t.Fatalf("kill %d: the file has state %d, want %d, or %d, which the process was about to save", i, state, last, told)
		}
		last = state
		if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) > 1 {
			torn++
		}
	}
	t.Logf("%d kills, %d torn files", kills, torn)
	if torn == 0 {
		t.Error("no process was killed while it saved")
	}
	check(t, first.Save(path))
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 || stateOf(t, path) != 1 {
		t.Errorf("after another Save there are %v, %v", all, err)
	}
}

// stateOf returns the state in the file at path. It fails the test unless all keys have the same
// state.
func stateOf(t *testing.T, path string) uint64 {
	t.Helper()
	c, err := OpenFile[uint32, uint64](path, Options{MaxBytes: 4 << 20})
	check(t, err)
	defer c.Close()
	state, ok := c.Get(0)
	if !ok || c.Len() != keysOfState {
		t.Fatalf("state %d has %d entries, want %d", state, c.Len(), keysOfState)
	}
	for k := range uint32(keysOfState) {
		if v, ok := c.Get(k); v != state || !ok {
			t.Fatalf("key %d has state %d (%t), and another one %d", k, v, ok, state)
		}
	}
	return state
}

// killedSaver starts a process that saves to path. When the process reports that it is about to
// save the given state, killedSaver waits for the given duration and kills it. It returns the last
// state that the process reported.
func killedSaver(t *testing.T, path string, state uint64, after time.Duration) (told uint64) {
	t.Helper()
	cmd, err := child.Command()
	check(t, err)
	cmd.Env = append(os.Environ(), saver+"="+path)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if told, err = strconv.ParseUint(lines.Text(), 10, 64); err != nil {
			t.Errorf("the process says %q", lines.Text())
			break
		}
		if told == state {
			time.Sleep(after) // any moment is valid; a random delay makes every stage of a Save likely
			cmd.Process.Kill()
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	return told
}
