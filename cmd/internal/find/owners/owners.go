// Package owners counts the structs that could own an allocator and that are created or reset in an
// operation. The number matters because an allocator in such a struct starts with an empty chunk
// each time. The profile shows only the structs on the Go heap. Other owners are variables on the
// stack, or come from a pool and are reset. To count all owners, the program is built again with a
// counting call at each position at which an owner is created or reset, and some operations are
// run.
//
// The set-up also creates owners. Therefore the program is run with two different numbers of
// operations, and the difference determines the number of owners per operation. For owners that
// only the set-up creates, this number is far below one.
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

// Env is the environment variable that tells a program with counting calls where to write its
// counts. Its value is a common prefix of the file names.
const Env = "COPPICE_OWNERS"

// least is the smallest share of all objects, of all bytes, or of the CPU time in malloc that makes
// a site costly. Owners are counted only at costly sites.
const least = 0.005

//go:embed counter.go.txt
var counter []byte

// fileName is the name of the file with the counting functions that is added to each package.
const fileName = "coppice_owners.go"

// A Run builds the program with the changes, runs it with env in the environment, and returns the
// number of operations that it ran. If part is 1, it runs all operations; if part is 2, it runs
// half of them.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string, part int) (operations int, err error)

// ErrNotCounted is returned if there are owners but they could not be counted.
var ErrNotCounted = errors.New("structs that share the values were not counted")

// Count counts the owners at costly sites, and sets their fields Begun and SetUp. It counts in the
// packages for which mine returns true, and in the tests. Other packages are in the module cache,
// where an overlay cannot replace files. Count writes its files to folder. If there are no such
// owners, it does nothing. It returns ErrNotCounted or the error of the context.
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

// A key identifies a type of owner.
type key struct{ pkg, owner string }

// A counting contains the changes that make a program count its owners, and the owners to be
// counted.
type counting struct {
	tally.Plan
	tests  *Tests
	places map[tally.Place]key
	owners map[key][]*site.Owner // sites by type; several sites may share a type
}

// plan creates the changes that make the program count the owners at the sites.
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

// add plans the calls that count the owners of one type.
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

// A tallied is the result of one counting run: the number of owners that were created or reset in
// its operations and in the set-up before them.
type tallied struct {
	begun      map[key]int
	operations int
}

// fewest is the smallest number of operations for which a second run, with half of them, is made.
// With fewer operations, the two runs cannot be compared: a run of a program is always one
// operation, and a benchmark that runs only one operation has one set-up instead of two.
const fewest = 4

// compare runs all operations, then half of them. From the two counts it computes how many owners
// are created or reset in an operation, and how many in the set-up.
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

// A count holds the number of owners that were created or reset in a run, and the number of
// operations in that run.
type count struct{ begun, operations int }

// perOperation returns the number of owners that are created or reset in an operation, and the
// number in the set-up. It computes them from the counts of a run with all operations and of a run
// with fewer operations. If only the set-up creates or resets owners, the result each is one owner
// per run instead of 0, because 0 means that the number is unknown.
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
	if each > 1 { // the fractional part comes from variation between runs
		each = math.Round(each)
	}
	return each, setUp
}

// setUps is the number of times that a process sets up a benchmark: once for the first operation,
// and once for all others. An owner that a package creates only once therefore adds a half to the
// quotient, which is rounded down.
const setUps = 2
