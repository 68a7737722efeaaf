// Package values counts how many different strings the conversions string([]byte) create. It builds
// the program again with a counting function around the converted bytes, runs it for one operation,
// and reads the counts.
//
// It counts in one operation only. A benchmark does the same work in each operation, so over
// several operations every string would seem to repeat. All strings are counted, except for at most
// the last ninth of them. The number of different strings is exact up to 10,000, and an estimate
// with an error of 2 % above that, in bounded memory.
package values

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/coppice-go/coppice/cmd/internal/find/tally"
	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Env is the environment variable that tells a changed program where to write its counts. Its value
// is the names of these files, without extensions.
const Env = "COPPICE_VALUES"

const (
	least  = 0.02 // part of the objects, or of the CPU time in malloc, that makes a place worth counting
	fewest = 20   // with fewer strings in an operation the count shows nothing
)

//go:embed counter.go.txt
var counter []byte

// fileName is the name of the file that is added to a package.
const fileName = "coppice_strings.go"

// A Run builds the program with the changes, and runs one operation of it with env in the
// environment.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string) error

// ErrNotCounted reports that there are strings to count, but that they were not counted.
var ErrNotCounted = errors.New("repeated strings were not counted")

// Count fills in Facts.Values of costly sites at which bytes are converted to strings, in packages
// for which mine returns true. Other packages are in the module cache, where an overlay cannot
// replace files. It needs the Facts of the sites. total is the share of the CPU time that malloc
// uses. Count writes its files to folder. If there are no such sites, it does nothing. Its error is
// ErrNotCounted or the error of the context.
func Count(ctx context.Context, sites []*site.Site, total float64, mine func(path string) bool, folder string, run Run) error {
	var all []*site.Site
	for _, s := range sites {
		if s.Facts.Kind == site.ToString && s.Facts.Operand != nil && !s.Facts.Test && mine(s.Package) &&
			(s.ObjectsPart >= least || total > 0 && s.Malloc >= least*total) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	c, err := change(all)
	if err == nil {
		prefix := filepath.Join(folder, "strings")
		if err = run(ctx, c.Changes, map[string]string{Env: prefix}); err == nil {
			err = c.read(prefix)
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotCounted, err)
	}
	return nil
}

// A counting is a plan for a program that counts its strings.
type counting struct {
	tally.Plan
	sites map[site.Span][]*site.Site
	spans map[tally.Place]site.Span
}

// change returns the changes that make a program count the strings that the sites allocate.
func change(sites []*site.Site) (*counting, error) {
	c := &counting{Plan: tally.Plan{FileName: fileName, Text: counter}, sites: map[site.Span][]*site.Site{}, spans: map[tally.Place]site.Span{}}
	for _, s := range sites {
		span := *s.Facts.Operand
		c.sites[span] = append(c.sites[span], s)
		if len(c.sites[span]) > 1 {
			continue // one line of source, in several instances of a generic function
		}
		place, err := c.Place(span.File)
		if err != nil {
			return nil, err
		}
		c.Changes.Put(span.File, span.From, fmt.Sprintf("coppiceString(%v, ", place))
		c.Changes.Put(span.File, span.To, ")")
		c.spans[place] = span
	}
	c.Add()
	return c, nil
}

// read reads the counts.
func (c *counting) read(prefix string) error {
	return c.Read(prefix, 2, func(at tally.Place, counts []int) {
		v := site.Values{Looked: counts[0], Distinct: min(counts[1], counts[0])} // counts[1] may be an estimate
		if v.Looked < fewest {
			return
		}
		for _, s := range c.sites[c.spans[at]] {
			s.Facts.Values = &v
		}
	})
}
