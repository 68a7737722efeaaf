// Package values counts how many different strings the conversions string([]byte) create. It builds
// the program again, with a call to a counting function around the converted bytes, runs it for one
// operation, and reads the counts.
//
// The count covers one operation only: a benchmark does the same work in each operation, so over
// several operations every string would seem to repeat. All strings are counted, except for at most
// the last ninth of them. The number of different strings is exact up to 10,000. Above that, it is
// an estimate with an error of 2 %, in bounded memory.
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

// Env is the environment variable that tells a program with counting calls where to write its
// counts. Its value is a common prefix of the file names.
const Env = "COPPICE_VALUES"

const (
	least  = 0.02 // minimum share of the objects, or of the CPU time in malloc, at a counted place
	fewest = 20   // minimum number of strings per operation; with fewer, the count shows nothing
)

//go:embed counter.go.txt
var counter []byte

// fileName is the name of the file with the counting function that is added to each package.
const fileName = "coppice_strings.go"

// A Run builds the program with the changes, and runs one operation with env in the environment.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string) error

// ErrNotCounted is returned if there are strings to count but they could not be counted.
var ErrNotCounted = errors.New("repeated strings were not counted")

// Count sets Facts.Values of costly sites at which bytes are converted to strings, in packages for
// which mine returns true. Other packages are in the module cache, where an overlay cannot replace
// files. The Facts of the sites must be set. The parameter total is the share of the CPU time that
// malloc uses. Count writes its files to folder. If there are no such sites, it does nothing. It
// returns ErrNotCounted or the error of the context.
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

// A counting contains the changes that make a program count its strings, and the sites to be
// counted.
type counting struct {
	tally.Plan
	sites map[site.Span][]*site.Site
	spans map[tally.Place]site.Span
}

// change returns the changes that make a program count the strings that are allocated at the sites.
func change(sites []*site.Site) (*counting, error) {
	c := &counting{Plan: tally.Plan{FileName: fileName, Text: counter}, sites: map[site.Span][]*site.Site{}, spans: map[tally.Place]site.Span{}}
	for _, s := range sites {
		span := *s.Facts.Operand
		c.sites[span] = append(c.sites[span], s)
		if len(c.sites[span]) > 1 {
			continue // the same line of source, in several instances of a generic function
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

// read reads the counts and sets Facts.Values of the sites.
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
