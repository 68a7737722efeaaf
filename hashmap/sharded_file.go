package hashmap

import (
	"errors"
	"fmt"
	"slices"

	"github.com/coppice-go/coppice/internal/image"
)

// Save writes the Sharded to a file, from which OpenShardedFile maps it, and replaces the file as
// Map.Save does. The file is a consistent snapshot: other goroutines may read the Sharded in the
// meantime, but changes wait until the file is written. If that takes too long, save the result of
// Clone instead. Clone holds only one lock at a time, but its result is not a consistent snapshot
// and takes as much memory as the Sharded. In a file, each shard occupies at least 64 KiB, or 128
// KiB if keys are strings.
func (s *Sharded[K, V]) Save(path string) error {
	const where = "hashmap.Sharded.Save"
	s.made(where)
	maps := make([]*Map[K, V], len(s.shards))
	for i := range s.shards { // every other method takes one lock only, so this cannot deadlock
		sh := &s.shards[i]
		sh.Hold()
		defer sh.Unlock()
		sh.m.use(where)
		maps[i] = sh.m
	}
	if err := saveImage(path, maps); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	return nil
}

// OpenShardedFile returns a Sharded with the entries of a file that Sharded.Save or Map.Save wrote.
// A file that Map.Save wrote has one shard. If Options.Shards is 0 or equal to the number of shards
// in the file, OpenShardedFile maps these shards as OpenFile does. Otherwise it creates new shards
// and calls Set for each entry. It has the same requirements as OpenFile, and returns the same
// errors.
func OpenShardedFile[K comparable, V any](path string, options Options) (*Sharded[K, V], error) {
	const where = "hashmap.OpenShardedFile"
	shards, err := shardsOf(where, options)
	if err != nil {
		return nil, err
	}
	if _, err := plan[K, V](where, options, 0); err != nil {
		return nil, err
	}
	f, all, err := openImage[K, V](path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	defer f.Close()
	if err := areShards(all); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", where, path, err)
	}
	var s *Sharded[K, V]
	if options.Shards == 0 || shards == len(all) {
		s, err = openShards[K, V](where, f, all, options, 2)
	} else {
		s, err = openOthers[K, V](where, f, all, options, shards)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", where, path, err)
	}
	return s, nil
}

// areShards checks that the Maps of a file can be the shards of one Sharded: their number must be a
// power of two, and all must have the same seed.
func areShards(all []numbers) error {
	if n := len(all); n > maxShards || n&(n-1) != 0 {
		return fmt.Errorf("%w: it has %d shards", ErrInvalid, n)
	}
	if slices.ContainsFunc(all, func(n numbers) bool { return n[metaSeed] != all[0][metaSeed] }) {
		return fmt.Errorf("%w: its shards have different hashes", ErrInvalid)
	}
	return nil
}

// openShards returns a Sharded whose shards are the Maps of a file. The parameter where names the
// function that the user called, and skip is the number of stack frames from openShards up to the
// user's code.
func openShards[K comparable, V any](where string, f *image.File, all []numbers, o Options, skip int) (*Sharded[K, V], error) {
	s := &Sharded[K, V]{shards: make([]shard[K, V], len(all))}
	for i := range all {
		m, err := openPart[K, V](where, f, all, i, o.ofShard(len(all)), skip+1)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("shard %d: %w", i, err), s.Close())
		}
		s.begin(i, m)
	}
	if o.Verify {
		if err := f.VerifySections(); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// openOthers returns a Sharded with the entries of a file. Its number of shards differs from that
// in the file.
func openOthers[K comparable, V any](where string, f *image.File, all []numbers, o Options, shards int) (*Sharded[K, V], error) {
	unbounded := o
	unbounded.Max = 0
	from, err := openShards[K, V](where, f, all, unbounded, 3)
	if err != nil {
		return nil, err
	}
	to, err := makeSharded[K, V](where, shards, o, all[0][metaSeed], 3)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	for k, v := range from.All() {
		if err = to.set(where, &k, &v); err != nil {
			break
		}
	}
	if err := errors.Join(err, from.Close()); err != nil {
		return nil, errors.Join(err, to.Close())
	}
	for i := range to.shards {
		to.shards[i].m.verified = o.Verify
	}
	return to, nil
}

// Verify checks every entry, as Map.Verify does, and also checks that each entry is in the right
// shard. Other goroutines may use the Sharded in the meantime, but changes to a shard wait while it
// is checked.
func (s *Sharded[K, V]) Verify() error {
	const where = "hashmap.Sharded.Verify"
	s.made(where)
	for i := range s.shards {
		var err error
		s.shards[i].read(func(m *Map[K, V]) { err = m.verify(where, uint64(i), len(s.shards)) })
		if err != nil {
			return fmt.Errorf("%s: shard %d: %w", where, i, err)
		}
	}
	return nil
}
