package image

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// saver is the name of an environment variable. It contains the path to which a child process of
// TestKill saves.
const saver = "COPPICE_IMAGE"

// stateOf returns the sections of state i. Consecutive states have sections of different sizes and
// contents.
func stateOf(i int) [][]byte {
	i %= 2
	return [][]byte{pattern(150_000+70_000*i, i), pattern(40_000-30_000*i, i)}
}

// headerOf returns a header with i, the number of the state, in its Meta.
func headerOf(i int) Header {
	h := header
	h.Meta = []byte(strconv.Itoa(i))
	return h
}

// TestMain also implements the child process, which saves one state after another until it is
// killed or the disk is full. It prints each state before it saves it.
func TestMain(m *testing.M) {
	path := os.Getenv(saver)
	if path == "" {
		os.Exit(m.Run())
	}
	for i := 0; ; i++ {
		fmt.Println(i)
		if err := Save(path, headerOf(i), stateOf(i)...); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// Whenever a process is killed, the file contains either the last state that the process saved or
// the state that it was saving. Leftover files do not affect the next process.
func TestKill(t *testing.T) {
	if _, err := os.StartProcess("", nil, &os.ProcAttr{}); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no processes here")
	}
	kills := 200
	switch {
	case testsize.Full():
		kills = 10_000
	case testing.Short():
		kills = 20
	}
	const lanes = 4
	var group sync.WaitGroup
	var torn [lanes]int
	for i := range lanes {
		path := fresh(t)
		check(t, Save(path, headerOf(1), stateOf(1)...))
		group.Go(func() {
			torn[i] = kill(t, path, kills/lanes)
			// The system determines when a process ends. Most kills interrupt a Save, so the test
			// retries until one does.
			for more := 0; torn[i] == 0 && more < 1000 && !t.Failed(); more++ {
				torn[i] = kill(t, path, 1)
			}
			if torn[i] == 0 && !t.Failed() {
				t.Error("no process was killed while it saved")
			}
		})
		defer func() {
			for i := range 2 {
				check(t, Save(path, header, stateOf(i)...))
				expect(t, path, stateOf(i)...)
				onlyFile(t, path)
			}
		}()
	}
	group.Wait()
	t.Logf("%d kills, %d torn files", kills, torn[0]+torn[1]+torn[2]+torn[3])
}

// kill starts processes that save to path, kills them, and verifies the file. It returns how many
// of them left a temporary file.
func kill(t *testing.T, path string, times int) (torn int) {
	r := random.New(t)
	last, err := stateIn(path)
	if err != nil {
		t.Error(err)
		return 0
	}
	for i := range times {
		before := i % 4 // number of complete saves before the kill
		told, err := killAt(path, before, time.Duration(r.Int64N(int64(4*time.Millisecond))))
		if err != nil || told < before {
			t.Errorf("kill %d: a process told of state %d last: %v", i, told, err)
			return torn
		}
		state, err := stateIn(path)
		if told > 0 {
			last = told - 1 // this state was saved completely
		}
		if err != nil || state != told && state != last {
			t.Errorf("kill %d: the file has state %d (%v), want %d, or %d, which the process was about to save", i, state, err, last, told)
			return torn
		}
		last = state
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) > 1 {
			torn++
		}
	}
	return torn
}

// stateIn returns the state in the header of an image, or an error if the sections do not match
// that state.
func stateIn(path string) (int, error) {
	f, err := open(path)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(f.VerifySections(), f.Close()); err != nil {
		return 0, err
	}
	state, err := strconv.Atoi(string(f.Meta()))
	if err == nil && f.Sections()[0] != int64(len(stateOf(state)[0])) {
		err = fmt.Errorf("state %d has %d bytes", state, f.Sections()[0])
	}
	return state, err
}

// killAt starts a process that saves to path. When the process reports that it is about to save the
// given state, killAt waits for the given duration and kills it. It returns the last state that the
// process reported.
func killAt(path string, state int, after time.Duration) (told int, err error) {
	cmd, err := child.Command()
	if err != nil {
		return -1, err
	}
	cmd.Env = append(os.Environ(), saver+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return -1, err
	}
	if err := cmd.Start(); err != nil {
		return -1, err
	}
	told = -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if told, err = strconv.Atoi(lines.Text()); err != nil {
			break
		}
		if told == state {
			time.Sleep(after) // any moment is valid; a random delay makes every stage of a Save likely
			cmd.Process.Kill()
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	return told, err
}
