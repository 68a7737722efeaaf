// Package values counts how many of the strings that string([]byte) makes differ. It has the program built once more with
// a function around what is converted, run for one operation, and reads what that function has counted.
//
// One operation only, because a benchmark does the same work in each: over several every string would seem to repeat. All
// strings are counted, up to the last ninth of them; how many differ is exact up to 10,000, and an estimate with
// an error of 2 % above that, in bounded memory.
package values

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/coppice-go/coppice/cmd/internal/find/wrap"
	"github.com/coppice-go/coppice/cmd/internal/site"
)

// Env names the files, without their endings, that a changed program writes its counts to.
const Env = "COPPICE_VALUES"

const (
	least  = 0.02 // part of the objects, or of the CPU time in malloc, that makes a place worth counting
	fewest = 20   // strings of an operation that tell something
)

//go:embed counter.go.txt
var counter []byte

// fileName is that of the file that is added to a package.
const fileName = "coppice_strings.go"

// A Run builds the program with the changes, and runs one operation of it with the environment.
type Run func(ctx context.Context, changes wrap.Changes, env map[string]string) error

// ErrNotCounted is why nobody counted, though there are strings to count.
var ErrNotCounted = errors.New("nobody counted which strings repeat")

// Count fills in Facts.Values of the places that are worth it: of strings that are made of bytes, in packages that mine
// reports, since nothing replaces files in the module cache. It needs their Facts, and total is the part of the CPU time that malloc takes.
// The folder is for its files. Where no such place is, it does nothing. An error is ErrNotCounted, or that the context has ended.
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
		if err = run(ctx, c.changes, map[string]string{Env: prefix}); err == nil {
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

// A counting is a program that counts.
type counting struct {
	changes wrap.Changes
	folders []string                // of packages
	spans   map[string][]*site.Span // that are counted, by folders
	sites   map[site.Span][]*site.Site
}

// change plans what a program is changed by.
func change(sites []*site.Site) (*counting, error) {
	c := &counting{spans: map[string][]*site.Span{}, sites: map[site.Span][]*site.Site{}}
	for _, s := range sites {
		span := *s.Facts.Operand
		c.sites[span] = append(c.sites[span], s)
		if len(c.sites[span]) > 1 {
			continue // one line of source, in several instances of a generic function
		}
		dir := filepath.Dir(span.File)
		if len(c.spans[dir]) == 0 {
			c.folders = append(c.folders, dir)
		}
		c.changes.Put(span.File, span.From, fmt.Sprintf("coppiceString(%d, ", len(c.spans[dir])))
		c.changes.Put(span.File, span.To, ")")
		c.spans[dir] = append(c.spans[dir], &span)
	}
	for i, dir := range c.folders {
		f, err := parser.ParseFile(token.NewFileSet(), c.spans[dir][0].File, nil, parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		text := counter
		for from, to := range map[string]string{"PACKAGE": f.Name.Name, "PLACES": strconv.Itoa(len(c.spans[dir])), "FILENUMBER": strconv.Itoa(i)} {
			text = bytes.ReplaceAll(text, []byte(from), []byte(to))
		}
		c.changes.New(filepath.Join(dir, fileName), text)
	}
	return c, nil
}

// read reads what was counted. A package that made no string has written nothing.
func (c *counting) read(prefix string) error {
	for i, dir := range c.folders {
		text, err := os.ReadFile(fmt.Sprintf("%s.%d", prefix, i))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			var place int
			var v site.Values
			if _, err := fmt.Sscan(line, &place, &v.Looked, &v.Distinct); err != nil || place < 0 || place >= len(c.spans[dir]) {
				return fmt.Errorf("the counts have a line %q", strings.TrimSpace(line))
			}
			if v.Looked < fewest {
				continue
			}
			v.Distinct = min(v.Distinct, v.Looked) // it may be an estimate
			for _, s := range c.sites[*c.spans[dir][place]] {
				s.Facts.Values = &v
			}
		}
	}
	return nil
}
