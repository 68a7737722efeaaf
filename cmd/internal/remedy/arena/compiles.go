package arena

import (
	"bytes"
	"context"
	"go/token"
	"os"

	"github.com/coppice-go/coppice/cmd/internal/builds"
	"github.com/coppice-go/coppice/cmd/internal/remedy/change"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/edits"
	"github.com/coppice-go/coppice/cmd/internal/rewrite/own"
)

// A place is left unchanged if its code does not compile after the change; the other places are
// still changed. The compiler reports lines of the new files, so the edits are used to map these
// lines back to places.

// mend finds the places where the edited code does not compile in at least one build, and adds them
// to the map leave, with the compiler's message. more reports whether mend added a place. It
// returns an error if the code does not compile for a reason that no place explains. The caller
// repeats the edits until mend adds no place. The loop terminates, because each round removes at
// least one place from the edits.
func mend(ctx context.Context, world *change.World, fset *token.FileSet, given own.Given, leave map[own.Place]string) (more bool, err error) {
	files, origins, err := unformatted(&given.Edits)
	if err != nil {
		return false, err
	}
	broken, _ := world.Breaks(ctx, files, given.Edits.Unused()) // other errors are found again when the change is made
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case broken == nil:
		return false, nil
	}
	for _, b := range broken.Breaks {
		for _, at := range append([]builds.Place{{File: b.File, Line: b.Line, Message: b.Message}}, b.Others...) {
			from, to, known := origins.oldRange(at.File, at.Line)
			if !known {
				continue
			}
			for place, all := range given.Touched {
				for _, e := range all {
					here := fset.File(e[0])
					if leave[place] == "" && sameFile(here.Name(), at.File) && here.Offset(e[0]) <= to && from <= here.Offset(e[1]) {
						leave[place], more = "it would not compile: "+at.Message, true
					}
				}
			}
		}
	}
	if !more {
		return false, change.Refused{Why: broken.Error()}
	}
	return true, nil
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// origins maps lines of the changed files to byte ranges in the old files.
type origins struct {
	files map[string][]byte
	edits []edits.Edit
}

// unformatted returns the changed files as the edits produce them, before gofmt formats them.
func unformatted(set *edits.Set) (map[string][]byte, origins, error) {
	o := origins{files: map[string][]byte{}}
	var err error
	if o.edits, err = set.List(); err != nil {
		return nil, o, err
	}
	old, done := map[string][]byte{}, map[string]int{}
	for _, e := range o.edits {
		if old[e.File] == nil {
			if old[e.File], err = os.ReadFile(e.File); err != nil {
				return nil, o, err
			}
		}
		o.files[e.File] = append(append(o.files[e.File], old[e.File][done[e.File]:e.Start]...), e.Text...)
		done[e.File] = e.End
	}
	for name, rest := range old {
		o.files[name] = append(o.files[name], rest[done[name]:]...)
	}
	return o.files, o, nil
}

// oldRange returns the byte range in the old file from which the edits produced a line of the new
// file.
func (o origins) oldRange(file string, line int) (from, to int, known bool) {
	for name, text := range o.files {
		if !sameFile(name, file) {
			continue
		}
		start := 0
		for range line - 1 {
			n := bytes.IndexByte(text[start:], '\n')
			if n < 0 {
				return 0, 0, false
			}
			start += n + 1
		}
		end := len(text)
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		from, _ = o.oldRangeAt(name, start)
		_, to = o.oldRangeAt(name, end)
		return from, to, true
	}
	return 0, 0, false
}

// oldRangeAt returns the byte range in the old file from which the edits produced a byte of the new
// file. If an edit inserted the byte, this is the whole range that the edit replaces.
func (o origins) oldRangeAt(file string, at int) (from, to int) {
	moved := 0 // number of bytes that previous edits added
	for _, e := range o.edits {
		if e.File != file || e.Start+moved > at {
			continue
		}
		if at <= e.Start+moved+len(e.Text) {
			return e.Start, e.End
		}
		moved += len(e.Text) - (e.End - e.Start)
	}
	return at - moved, at - moved
}
