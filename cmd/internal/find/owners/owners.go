// Package owners counts how many structs that could own an allocator come into being in an
// operation. The profile has those of the Go heap. Others are variables on the stack, or come from
// a pool and are reset. An allocator in them starts with an empty chunk each time, so their number
// matters. The program is built once more with a counting call at each place where an owner comes
// into being, and run for some operations.
//
// The set-up makes owners, too. The program is run with two numbers of operations, and what begins
// in an operation is the difference. Owners of the set-up alone have a number far below one.
//
// docs/decisions/0046 says why small owners get no allocator.
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

// Env names the files, without their endings, that a changed program writes its counts to.
const Env = "COPPICE_OWNERS"

// least is the part of objects, bytes, or the CPU time in malloc that makes the owners of a place
// worth counting.
const least = 0.005

//go:embed counter.go.txt
var counter []byte

// fileName is the name of the file that is added to a package.
const fileName = "coppice_owners.go"

// A Run builds the program with the changes, runs a part of its operations with the environment
// (all of them, or a half if part is 2), and returns their number.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string, part int) (operations int, err error)

// ErrNotCounted reports that owners were not counted although there are some.
var ErrNotCounted = errors.New("structs that share the values were not counted")

// Count fills in Begun of the owners of places that are worth it, in tests and in packages for
// which mine is true. Other packages are in the module cache, where an overlay cannot replace
// files. The folder is for its files. Without such places it does nothing. An error is
// ErrNotCounted or the context's.
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

// A key is a type of owners.
type key struct{ pkg, owner string }

// A counting is a program that counts.
type counting struct {
	tally.Plan
	tests  *Tests
	places map[tally.Place]key
	owners map[key][]*site.Owner // several sites have one
}

// plan plans the changes of the program.
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
		// A function with a type parameter would do for all types, but files in a language before
		// go1.18 cannot call it.
		c.Changes.Put(b.File, b.From, fmt.Sprintf("func(v %s) %[1]s { %s; return v }(", b.Type, call))
		c.Changes.Put(b.File, b.To, ")")
	}
	return nil
}

// A tallied has what began in some operations, and in the set-up before them.
type tallied struct {
	begun      map[key]int
	operations int
}

// fewest is the number of operations of which half can be run. One operation is a run that is an
// operation, or that of a benchmark, which has one set-up where others have two.
const fewest = 4

// compare runs all operations, and half of them, and sets what begins in one and in the set-up.
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

// perOperation returns how many owners begin in an operation, and how many in the set-up, from the
// counts of all operations and of fewer. If none begins in an operation, it returns one in all
// operations: the number is known, and near 0.
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
	if each > 1 { // the fraction is from what varies between runs
		each = math.Round(each)
	}
	return each, setUp
}

// setUps is the number of times that a benchmark is set up in a process: for its first operation
// and for the others. What a package makes once counts as half.
const setUps = 2
