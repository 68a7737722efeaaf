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

// again is the interval at which the lab retries locking a shard.
const again = 200 * time.Millisecond

// stepped is called after each change on disk. Tests replace it to end the process at that point.
var stepped = func() {}

// A Claim represents a shard that this process measures. The results are written to a separate
// folder, which is renamed when a session is complete. Therefore, a session, and in the end a
// shard, is either complete or absent, even if a process is killed. If several processes measure
// the same shard, the results of the first one to finish are kept. The lock only avoids duplicate
// work: on the file systems of clusters, other machines may not see it, or locks may not be
// supported.
type Claim struct {
	plan   Plan
	folder string
	shard  Shard
	lock   *flock.Flock // nil if the file system has no locks
}

// Take claims a shard. It returns nil if the shard is already complete. If another process on this
// machine is measuring the shard, Take waits. Before that, it calls waits once with the contents of
// the lock file, in which the other process describes itself.
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
	done, err := p.Complete(folder, s.Shard) // another process may have completed it
	if err != nil || done {
		c.Release()
		return nil, err
	}
	return c, nil
}

// acquire waits for the lock. It returns no error if the file system does not support locks.
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
	_ = os.WriteFile(name, []byte(text), 0o666) // the text is optional, as in filelock.Try
	c.lock = file
	return nil
}

// Release releases the lock of the claim.
func (c *Claim) Release() {
	if c.lock != nil {
		_ = c.lock.Close() // closing twice is not an error
	}
}

// work returns the folder for incomplete results of the shard.
func (c *Claim) work() string { return partial(c.folder, c.shard.Shard) }

func partial(folder string, i int) string { return filepath.Join(folder, "partial", strconv.Itoa(i)) }

// session returns the folder of session k of the shard. The folder exists only when the session is
// complete.
func (c *Claim) session(k int) string { return filepath.Join(c.work(), strconv.Itoa(k)) }

// Complete reports whether a shard has results. It returns an error if the results belong to a
// different plan. If the shard is complete, Complete removes its folder of incomplete results,
// which a process leaves behind if it is killed in its last step.
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
			return false, fmt.Errorf("%s contains results that are not from this plan; move it away to measure the shard", results)
		}
	}
	_ = os.RemoveAll(partial(folder, i))
	return true, nil
}

// Keys of a session's environment that identify its position in a plan.
const (
	PlanKey   = "plan"          // hash of the plan
	ShardKey  = "shard"         // index of the shard, from 0
	NumberKey = "shard-session" // index of the session in the shard, from 0
	NodeKey   = "node"          // the scheduler's name for the machine, if it has one
)

// All measures the sessions of the shard that are not complete yet, and then completes the shard.
// measure writes session k to a folder. All returns the first error of measure; sessions that are
// already complete are kept. If another process, perhaps on another machine, has completed a
// session or the whole shard first, the results of that process are kept.
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
		err = c.make(Results(c.folder, c.shard.Shard), c.concatenate)
	}
	if err != nil {
		return c.unlessComplete(err)
	}
	c.Release() // before Complete removes the file: some systems do not remove open files
	_, err = c.plan.Complete(c.folder, c.shard.Shard)
	return err
}

// unlessComplete returns nil if the shard is complete, and err otherwise. If another process has
// completed the shard and removed the folders of this process, err is only a consequence of this.
func (c *Claim) unlessComplete(err error) error {
	if done, _ := c.plan.Complete(c.folder, c.shard.Shard); done {
		return nil
	}
	return err
}

// concatenate concatenates the sessions of the shard, in order, in a folder.
func (c *Claim) concatenate(folder string) error {
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

// make creates a folder atomically: it fills a folder with a temporary name, syncs it to disk, and
// renames it. A folder that already has the final name is kept.
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

// appendFile appends the contents of one file to another.
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

// save syncs the files in a folder to disk. Some file systems report only at this point that the
// disk is full.
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

// syncFolder syncs the entries of a folder to disk. Errors of the sync are ignored, because not all
// systems support it. On a system that does not, a crash loses only the last steps.
func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	_ = folder.Sync()
	return folder.Close()
}
