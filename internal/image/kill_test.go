package image

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/random"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// saver is the variable with the path that a process of TestKill saves to.
const saver = "COPPICE_IMAGE"

// stateOf is the sections of a state: other sizes, and other bytes everywhere.
func stateOf(i int) [][]byte {
	i %= 2
	return [][]byte{pattern(150_000+70_000*i, i), pattern(40_000-30_000*i, i)}
}

// TestMain is also the process that saves, until it is killed or the disk is full.
func TestMain(m *testing.M) {
	path := os.Getenv(saver)
	if path == "" {
		os.Exit(m.Run())
	}
	fmt.Println("begins")
	for i := 0; ; i++ {
		if err := Save(path, header, stateOf(i)...); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

// Whenever a process is killed, the file is one of its two states, and what it leaves hinders nobody.
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
	var seen [lanes]outcome
	for i := range lanes {
		path := save(t, stateOf(0)...)
		group.Go(func() { seen[i] = kill(t, path, kills/lanes) })
		defer func() {
			for i := range 2 {
				check(t, Save(path, header, stateOf(i)...))
				expect(t, path, stateOf(i)...)
				alone(t, path)
			}
		}()
	}
	group.Wait()
	var sum outcome
	for _, s := range seen {
		sum.torn += s.torn
		sum.states[0] += s.states[0]
		sum.states[1] += s.states[1]
	}
	t.Logf("%d kills: %d times one state, %d times the other, %d torn files beside it", kills, sum.states[0], sum.states[1], sum.torn)
	if sum.torn == 0 && sum.states[1] == 0 && !t.Failed() {
		t.Error("no process was killed while it saved")
	}
}

// An outcome is what was there after kills.
type outcome struct {
	states [2]int
	torn   int // how often a part was there too
}

// kill starts processes that save to path, kills them, and looks at the file.
func kill(t *testing.T, path string, times int) (o outcome) {
	r := random.New(t)
	for i := range times {
		cmd, err := child.Command()
		if err == nil {
			cmd.Env = append(os.Environ(), saver+"="+path)
			var out io.ReadCloser
			if out, err = cmd.StdoutPipe(); err == nil {
				if err = cmd.Start(); err == nil {
					bufio.NewScanner(out).Scan()
				}
			}
		}
		if err != nil {
			t.Errorf("kill %d: starting a process: %v", i, err)
			return o
		}
		time.Sleep(time.Duration(r.Int64N(int64(8 * time.Millisecond))))
		cmd.Process.Kill()
		cmd.Wait()
		f, err := open(path)
		if err == nil {
			err = errors.Join(f.VerifySections(), f.Close())
		}
		if err != nil {
			t.Errorf("kill %d: %v", i, err)
			return o
		}
		if f.Sections()[0] == int64(len(stateOf(1)[0])) {
			o.states[1]++
		} else {
			o.states[0]++
		}
		if _, err := os.Stat(path + ".part"); err == nil {
			o.torn++
		}
	}
	return o
}
