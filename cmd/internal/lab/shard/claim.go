package shard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/coppice-go/coppice/cmd/internal/lab/experiment"
	"github.com/coppice-go/coppice/cmd/internal/lab/record"
)

// again is the interval at which a lab that waits for a shard looks.
const again = 200 * time.Millisecond

// stepped is called after each step on the disk. Tests end the process there.
var stepped = func() {}

// A Claim is a shard that this process measures. What it measures is in a folder of its own until a
// session is complete, and gets its name by renaming the folder. So a session, and in the end a
// shard, is there as a whole or not at all, whenever a process is killed, and the process that
// finishes first is the one that counts. The lock only saves doing the work twice: on the file
// systems of clusters it may be seen by this machine alone, or not at all.
type Claim struct {
	plan   Plan
	folder string
	shard  Shard
	lock   *flock.Flock // nil where there are no locks
}

// Take claims a shard. It is nil if the shard is complete. While another process on this machine
// measures it, Take waits, and calls waits once with the text that this process left about itself.
func Take(ctx context.Context, p Plan, folder string, s Shard, waits func(holder string)) (*Claim, error) {
	c := &Claim{plan: p, folder: folder, shard: s}
	if done, err := p.Complete(folder, s.Shard); done || err != nil {
		return nil, err
	}
	if err := os.MkdirAll(c.work(), 0o777); err != nil {
		return nil, err
	}
	if err := c.acquire(ctx, waits); err != nil {
		return nil, err
	}
	done, err := p.Complete(folder, s.Shard) // meanwhile, by the other process
	if err != nil || done {
		c.Release()
		return nil, err
	}
	return c, nil
}

// acquire waits for the lock. A file system without locks is not an error.
func (c *Claim) acquire(ctx context.Context, waits func(holder string)) error {
	name := filepath.Join(c.work(), "lock")
	file := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR))
	locked, err := file.TryLock()
	if err == nil && !locked {
		text, _ := os.ReadFile(name)
		waits(strings.TrimSpace(string(text)))
		locked, err = file.TryLockContext(ctx, again)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil || !locked:
		_ = file.Close()
		return nil
	}
	host, _ := os.Hostname()
	text := fmt.Sprintf("process %d on %s, since %s", os.Getpid(), host, time.Now().Format("15:04:05 on 2 January"))
	_ = os.WriteFile(name, []byte(text), 0o666) // optional, as in filelock.Try
	c.lock = file
	return nil
}

// Release ends the claim.
func (c *Claim) Release() {
	if c.lock != nil {
		_ = c.lock.Close() // closing twice is not an error
	}
}

// work returns the folder of incomplete results.
func (c *Claim) work() string { return partial(c.folder, c.shard.Shard) }

func partial(folder string, i int) string { return filepath.Join(folder, "partial", strconv.Itoa(i)) }

// session returns the folder of a complete session of a shard that is not complete.
func (c *Claim) session(k int) string { return filepath.Join(c.work(), strconv.Itoa(k)) }

// Complete reports whether a shard has results. Results of another plan are an error. It removes
// leftovers of the work on a complete shard, which a process leaves if it is killed in its last
// step.
func (p Plan) Complete(folder string, i int) (bool, error) {
	results := Results(folder, i)
	if _, err := os.Stat(results); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	sessions, err := record.Read(results)
	if err != nil {
		return false, fmt.Errorf("%w; move %s away to measure the shard", err, results)
	}
	for _, s := range sessions {
		if s.Environment.Values[PlanKey] != p.Hash {
			return false, fmt.Errorf("%s holds results that are not from this plan; move it away to measure the shard", results)
		}
	}
	_ = os.RemoveAll(partial(folder, i))
	return true, nil
}

// Keys of a session's environment that identify its part of a plan.
const (
	PlanKey   = "plan"          // the plan's hash
	ShardKey  = "shard"         // its number, from 0
	NumberKey = "shard-session" // which of the shard, from 0
	NodeKey   = "node"          // the machine's name, if a scheduler gives it one
)

// All measures the sessions that are not complete yet, those of earlier processes included, and
// makes the shard complete. measure writes session k to a folder. The error of measure ends it;
// what was complete before stays. Where another process, perhaps on another machine, was faster
// with a session or with the whole shard, its results are those that stay.
func (c *Claim) All(measure func(k int, s Session, folder string) error) error {
	for k, s := range c.shard.Sessions {
		if _, err := os.Stat(c.session(k)); err == nil {
			continue
		}
		err := c.make(c.session(k), func(folder string) error { return measure(k, s, folder) })
		if err != nil {
			return c.unlessComplete(err)
		}
	}
	err := os.MkdirAll(filepath.Dir(Results(c.folder, 0)), 0o777)
	if err == nil {
		err = c.make(Results(c.folder, c.shard.Shard), c.together)
	}
	if err != nil {
		return c.unlessComplete(err)
	}
	c.Release() // before its file is removed: some systems do not remove what is open
	_, err = c.plan.Complete(c.folder, c.shard.Shard)
	return err
}

// unlessComplete returns the error, unless the shard is complete: the process that completed it has
// removed the folders of this one.
func (c *Claim) unlessComplete(err error) error {
	if done, _ := c.plan.Complete(c.folder, c.shard.Shard); done {
		return nil
	}
	return err
}

// together writes the sessions of the shard to a folder, in their order.
func (c *Claim) together(folder string) error {
	for k := range c.shard.Sessions {
		for _, name := range []string{record.RunsFile, record.BenchFile} {
			if err := appendFile(filepath.Join(folder, name), filepath.Join(c.session(k), name)); err != nil {
				return err
			}
			stepped()
		}
	}
	return appendFile(filepath.Join(folder, experiment.SavedFile), filepath.Join(c.session(0), experiment.SavedFile))
}

// make makes a folder in one step: under another name, saved to the disk, then renamed. A folder of
// that name stays.
func (c *Claim) make(name string, fill func(folder string) error) error {
	own := filepath.Join(c.work(), fmt.Sprintf("%s-%x", filepath.Base(name), rand.Uint64())) // os.MkdirTemp's would be for this user alone
	if err := os.Mkdir(own, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(own) // it has another name by then, or must not stay
	stepped()
	if err := fill(own); err != nil {
		return err
	}
	stepped()
	if err := save(own); err != nil {
		return err
	}
	stepped()
	if err := os.Rename(own, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	stepped()
	return syncFolder(filepath.Dir(name))
}

// appendFile adds what a file holds to another.
func appendFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// save waits until the files of a folder are on the disk. Some file systems report only then that
// there is no room.
func save(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		file, err := os.OpenFile(filepath.Join(folder, entry.Name()), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(file.Sync(), file.Close()); err != nil {
			return err
		}
	}
	return syncFolder(folder)
}

// syncFolder saves the names in a folder. Not all systems can, and none loses more than the last
// steps for it.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = folder.Sync()
	return folder.Close()
}
