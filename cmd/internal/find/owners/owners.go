// Package owners counts the structs that could own an allocator and that are created or reset in an
// operation. The profile contains those on the Go heap. Others are variables on the stack, or come
// from a pool and are reset. An allocator in such a struct starts with an empty chunk each time, so
// their number matters. The program is built again with a counting call at each position at which
// an owner is created or reset, and runs some operations.
//
// The set-up also creates owners. So the program runs with two different numbers of operations, and
// the difference determines the number of owners per operation. For owners that only the set-up
// creates, it is far below one.
//
// docs/decisions/0046 explains why small owners get no allocator.
package owners

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/tally"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Env is the environment variable with the names, without extensions, of the files that a
// changed program writes its counts to.
const Env = "COPPICE_OWNERS"

// least is the minimum part of objects, bytes, or the CPU time in malloc of a site whose owners
// are counted.
const least = 0.005

//go:embed counter.go.txt
var counter []byte

// fileName is the name of the file that is added to a package.
const fileName = "coppice_owners.go"

// A Run builds the program with the changes, runs a part of its operations with the environment
// (all of them if part is 1, half if it is 2), and returns the number of operations that it ran.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string, part int) (operations int, err error)

// ErrNotCounted reports that owners were not counted although there are some.
var ErrNotCounted = errors.New("structs that share the values were not counted")

// Count fills in Begun and SetUp of the owners of costly sites in packages for which mine returns
// true. It counts in these packages and in the tests. Other packages are in the module cache, where
// an overlay cannot replace files. Count writes its files to folder. Without such owners it does
// nothing. An error is ErrNotCounted or the context's.
func Count(ctx context.Context, sites []*site.Site, mine func(path string) bool, tests Tests, folder string, run Run) error {
	c := &counting{Plan: tally.Plan{FileName: fileName, Text: counter}, tests: &tests, places: map[tally.Place]key{}, owners: map[key][]*site.Owner{}}
	err := c.plan(sites, mine)
	if err == nil && len(c.places) == 0 {
		return nil
	}
	if err == nil {
		err = c.compare(ctx, folder, run)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotCounted, err)
	}
	return nil
}

// A key names a type of owners.
type key struct{ pkg, owner string }

// A counting is a plan for a program that counts its owners.
type counting struct {
	tally.Plan
	tests  *Tests
	places map[tally.Place]key
	owners map[key][]*site.Owner // several sites may share a type
}

// plan creates the changes with which the program counts the owners of the sites.
func (c *counting) plan(sites []*site.Site, mine func(path string) bool) error {
	for _, s := range sites {
		if !mine(s.Package) || s.Facts.Test || max(s.Malloc, s.ObjectsPart, s.BytesPart) < least {
			continue
		}
		for _, owners := range [][]site.Owner{s.Facts.Owners, s.Facts.Above} {
			for i := range owners {
				if err := c.add(s.Package, &owners[i]); err != nil {
					return err
				}
			}
		}
	}
	c.Add()
	return nil
}

// add plans the calls that count owners of a type.
func (c *counting) add(pkg string, o *site.Owner) error {
	k := key{pkg, o.Type}
	if o.Unfit() != "" {
		return nil
	}
	if c.owners[k] = append(c.owners[k], o); len(c.owners[k]) > 1 {
		return nil
	}
	for _, b := range slices.Concat(o.Begins, c.tests.begins(pkg, strings.TrimPrefix(o.Type, "*"))) {
		place, err := c.Place(b.File)
		if err != nil {
			return err
		}
		c.places[place] = k
		call := fmt.Sprintf("coppiceOwnersBegin(%v, %d)", place, b.Count)
		if b.Count == 0 {
			call = fmt.Sprintf("coppiceOwnersList(%v, v)", place)
		}
		if b.Type == "" {
			c.Changes.Put(b.File, b.To, "; "+call)
			continue
		}
		// A function with a type parameter would work for all types, but files with a language
		// version before go1.18 cannot call it.
		c.Changes.Put(b.File, b.From, fmt.Sprintf("func(v %s) %[1]s { %s; return v }(", b.Type, call))
		c.Changes.Put(b.File, b.To, ")")
	}
	return nil
}

// A tallied contains the number of owners that began in some operations and in the set-up before
// them.
type tallied struct {
	begun      map[key]int
	operations int
}

// fewest is the minimum number of operations for a second run with half of them. A run of a
// program is always one operation, and a benchmark that runs only one operation has one set-up
// instead of two.
const fewest = 4

// compare runs all operations, then half of them, and sets the number of owners that begin in an
// operation and the number that begin in the set-up.
func (c *counting) compare(ctx context.Context, folder string, run Run) error {
	var all, half tallied
	for part, of := range []*tallied{&all, &half} {
		prefix := filepath.Join(folder, fmt.Sprintf("owners%d", part))
		n, err := run(ctx, c.Changes, map[string]string{Env: prefix}, part+1)
		if err != nil {
			return err
		}
		of.operations, of.begun = n, map[key]int{}
		err = c.Read(prefix, 1, func(at tally.Place, counts []int) { of.begun[c.places[at]] += counts[0] })
		if err != nil {
			return err
		}
		if n < fewest {
			half = all
			break
		}
	}
	for k, n := range all.begun {
		each, before := perOperation(count{n, all.operations}, count{half.begun[k], half.operations})
		for _, o := range c.owners[k] {
			o.Begun, o.SetUp = each, before
		}
	}
	return nil
}

// A count is the number of owners that begin in some operations and their set-up.
type count struct{ begun, operations int }

// perOperation returns the number of owners that begin in an operation, and the number that begin
// in the set-up, from the counts of a run with all operations and of a run with fewer operations.
// If owners begin only in the set-up, it returns one per run instead of 0: the number is known, and
// near 0.
func perOperation(all, fewer count) (each, setUp float64) {
	if all.begun == 0 {
		return 0, 0
	}
	each = float64(all.begun) / float64(max(1, all.operations))
	if all.operations > fewer.operations && fewer.operations > 0 {
		each = max(0, float64(all.begun-fewer.begun)/float64(all.operations-fewer.operations))
		setUp = math.Floor(max(0, float64(all.begun)-each*float64(all.operations)) / setUps)
		each = max(1/float64(all.operations), each)
	}
	if each > 1 { // the fraction comes from variation between runs
		each = math.Round(each)
	}
	return each, setUp
}

// setUps is the number of times that a benchmark is set up in a process: for its first operation
// and for the others. An owner that a package creates only once is counted as half, and the sum is
// rounded down.
const setUps = 2
