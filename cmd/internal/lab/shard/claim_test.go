package shard

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
	"github.com/coppice-go/coppice/internal/testkit/child"
	"github.com/coppice-go/coppice/internal/testkit/testsize"
)

// These environment variables turn the test binary into a process that measures shard 0 of a plan.
// role is the folder of the plan. step, if set, is the step after which the process kills itself.
// If hold is set, the process waits for the end of its standard input before it measures.
const (
	role = "COPPICE_SHARD_TEST"
	step = "COPPICE_SHARD_STEP"
	hold = "COPPICE_SHARD_HOLD"
)

// rounds is the number of runs in each session.
const rounds = 5

func TestMain(m *testing.M) {
	if folder := os.Getenv(role); folder != "" {
		killAt, _ := strconv.Atoi(os.Getenv(step))
		steps := 0
		stepped = func() {
			if steps++; steps == killAt {
				self, _ := os.FindProcess(os.Getpid())
				_ = self.Kill()
				select {}
			}
		}
		p, err := Read(folder)
		if err == nil {
			err = measureShard(p, folder)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// measureShard takes shard 0 and measures all of it.
func measureShard(p Plan, folder string) error {
	c, err := Take(context.Background(), p, folder, p.Shard(0), func(string) {})
	if err != nil || c == nil {
		return err
	}
	defer c.Release()
	fmt.Println("taken")
	if os.Getenv(hold) != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
	return c.All(func(k int, s Session, to string) error { return measured(p, k, s, to) })
}

// measured writes the results of a session as the lab does, one run after another.
func measured(p Plan, k int, s Session, to string) error {
	env := record.Environment{Schema: record.Schema, Session: fmt.Sprintf("%d by %s", k, rand.Text()), Started: time.Now(),
		Values: map[string]string{PlanKey: p.Hash, ShardKey: "0", NumberKey: strconv.Itoa(k)}}
	log, err := record.Create(to, "x", env)
	if err != nil {
		return err
	}
	for round := range rounds {
		run := record.Run{Schema: record.Schema, Experiment: "x", Contender: "a", Depth: s.Depth, Session: env.Session, Round: round + 1, Status: record.OK, Figures: map[string]float64{"cpu": 1}}
		if err := log.Add(run); err != nil {
			return errors.Join(err, log.Close())
		}
		stepped()
	}
	return errors.Join(log.Close(), os.WriteFile(filepath.Join(to, experiment.SavedFile), []byte("name = \"x\"\n"), 0o666))
}

// check verifies that the results of shard 0 have each session exactly once, complete and in order.
func check(t *testing.T, p Plan, folder string) {
	t.Helper()
	sessions, err := record.Read(Results(folder, 0))
	if err != nil {
		t.Fatal(err)
	}
	want := p.Shard(0).Sessions
	if len(sessions) != len(want) {
		t.Fatalf("%d sessions, want %d", len(sessions), len(want))
	}
	for k, s := range sessions {
		if s.Environment.Values[NumberKey] != strconv.Itoa(k) || len(s.Runs) != rounds {
			t.Errorf("in the place of session %d is %s with %d runs", k, s.Environment.Values[NumberKey], len(s.Runs))
		}
		for i, run := range s.Runs {
			if run.Session != s.Environment.Session || run.Round != i+1 || run.Depth != want[k].Depth {
				t.Errorf("session %d, run %d is %+v", k, i, run)
			}
		}
	}
	for name, lines := range map[string]int{record.BenchFile: rounds * len(want), experiment.SavedFile: 1} {
		text, err := os.ReadFile(filepath.Join(Results(folder, 0), name))
		if n := strings.Count(string(text), "\n") - strings.Count(string(text), ": "); err != nil || n != lines {
			t.Errorf("%s has %d lines that are no configuration, want %d; %v", name, n, lines, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(folder, "partial")); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
}

// A process that is killed after any step must leave complete results or none, and later processes
// must complete them without measuring a complete session again. Each process is killed one step
// later than the one before it, so the number of processes is at most the number of steps.
func TestKilledAtAnyMoment(t *testing.T) {
	child.SkipEmulated(t, "it starts many processes, and an emulator takes seconds for each")
	p := planned(t, 3)
	for _, apart := range []int{1, 7} {
		folder := written(t, p)
		killed := 0
		for at := 1; ; at += apart {
			err := measuredBy(t, folder, step+"="+strconv.Itoa(at))
			_, there := os.Stat(Results(folder, 0))
			if err == nil && there != nil {
				t.Fatal("it ended well, and there are no results")
			}
			if there == nil {
				if err := measureShard(p, folder); err != nil { // it also removes the leftovers
					t.Fatal(err)
				}
				break
			}
			if killed++; killed > 200 {
				t.Fatal("it does not get on")
			}
		}
		t.Logf("killed %d times", killed)
		check(t, p, folder)
	}
}

// A process must be able to recover from a kill after each step that it reaches for the first time.
func TestKilledAtEachStep(t *testing.T) {
	child.SkipEmulated(t, "it starts many processes, and an emulator takes seconds for each")
	p := planned(t, 3)
	// The process creates a folder, fills it, saves it and renames it: once for each session with
	// its runs, and once for the whole shard, with two files for each session.
	sessions := len(p.Shard(0).Sessions)
	steps := sessions*(4+rounds) + 4 + 2*sessions
	for at := 1; at <= steps+1; at++ {
		t.Run(strconv.Itoa(at), func(t *testing.T) {
			testsize.OneOf(t, at-1, "it starts two processes for each step")
			folder := written(t, p)
			if err := measuredBy(t, folder, step+"="+strconv.Itoa(at)); (err == nil) != (at > steps) {
				t.Fatalf("%v at step %d of %d", err, at, steps)
			}
			if err := measuredBy(t, folder); err != nil {
				t.Fatal(err)
			}
			check(t, p, folder)
		})
	}
}

// measuredBy starts a process that measures shard 0, and returns how it ended.
func measuredBy(t *testing.T, folder string, env ...string) error {
	t.Helper()
	cmd, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(append(os.Environ(), role+"="+folder), env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd.Wait()
}

// Several processes that do not see each other's locks, as on some network file systems, must leave
// each session exactly once, and none of them may fail.
func TestFirstFinishedResultWins(t *testing.T) {
	for range 10 {
		p := planned(t, 3)
		folder := written(t, p)
		var all sync.WaitGroup
		for range 4 {
			c := &Claim{plan: p, folder: folder, shard: p.Shard(0)}
			if err := os.MkdirAll(c.work(), 0o777); err != nil {
				t.Fatal(err)
			}
			all.Go(func() {
				err := c.All(func(k int, s Session, to string) error {
					return measured(p, k, s, to)
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		check(t, p, folder)
	}
}

// A second process on the same machine waits for the first, reports which process it waits for, and
// then has nothing left to do.
func TestSecondProcessWaits(t *testing.T) {
	p := planned(t, 3)
	folder := written(t, p)
	cmd, err := child.Command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), role+"="+folder, hold+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "taken\n" {
		t.Fatalf("%q, %v", line, err)
	}
	said := ""
	c, err := Take(t.Context(), p, folder, p.Shard(0), func(holder string) {
		said = holder
		_ = in.Close() // lets the first process continue
	})
	if c != nil || err != nil {
		t.Errorf("%v, %v: the shard is complete", c, err)
	}
	if want := fmt.Sprintf("process %d on ", cmd.Process.Pid); !strings.HasPrefix(said, want) {
		t.Errorf("it waits for %q, want %q", said, want)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	check(t, p, folder)
}

// If measuring fails, for example because the disk is full, only the sessions that were complete
// before remain.
func TestFailureLeavesCompleteSessions(t *testing.T) {
	p := planned(t, 3)
	folder := written(t, p)
	c, err := Take(t.Context(), p, folder, p.Shard(0), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	err = c.All(func(k int, s Session, to string) error {
		if k == 2 {
			_ = os.WriteFile(filepath.Join(to, record.RunsFile), []byte(`{"schema":1`), 0o666)
			return &os.PathError{Op: "write", Path: record.RunsFile, Err: syscall.ENOSPC}
		}
		return measured(p, k, s, to)
	})
	c.Release()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error %v", err)
	}
	left, err := os.ReadDir(c.work())
	if err != nil || len(left) != 3 || left[0].Name() != "0" || left[1].Name() != "1" || left[2].Name() != "lock" {
		t.Errorf("%v, %v", left, err)
	}
	before, err := os.ReadFile(filepath.Join(c.session(1), record.RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	if c, err = Take(t.Context(), p, folder, p.Shard(0), func(string) {}); err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	again := 0
	err = c.All(func(k int, s Session, to string) error {
		again++
		return measured(p, k, s, to)
	})
	if want := len(p.Shard(0).Sessions) - 2; err != nil || again != want {
		t.Errorf("%d sessions were measured, want %d; %v", again, want, err)
	}
	check(t, p, folder)
	if after, err := os.ReadFile(filepath.Join(Results(folder, 0), record.RunsFile)); err != nil || !strings.Contains(string(after), string(before)) {
		t.Errorf("session 1 was measured again, %v", err)
	}
}

// Results that do not belong to the plan are neither accepted nor overwritten.
func TestForeignResults(t *testing.T) {
	p := planned(t, 3)
	folder := written(t, p)
	other := p
	other.Hash = "another"
	if err := os.MkdirAll(Results(folder, 0), 0o777); err != nil {
		t.Fatal(err)
	}
	if c, err := Take(t.Context(), p, folder, p.Shard(0), nil); c != nil || err == nil || !strings.Contains(err.Error(), "move ") {
		t.Errorf("an empty folder: %v, %v", c, err)
	}
	if err := measured(other, 0, p.Shard(0).Sessions[0], Results(folder, 0)); err != nil {
		t.Fatal(err)
	}
	if c, err := Take(t.Context(), p, folder, p.Shard(0), nil); c != nil || err == nil || !strings.Contains(err.Error(), "contains results that are not from this plan; move it away") {
		t.Errorf("another plan's: %v, %v", c, err)
	}
}
