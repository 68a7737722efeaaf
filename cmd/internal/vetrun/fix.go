package vetrun

import (
	"cmp"
	"fmt"
	"go/format"
	"os"
	"slices"

	"github.com/coppice-go/coppice/cmd/internal/lineend"
)

// Fix applies the fixes of findings to their files and formats the files. It returns the remaining
// findings, which either have no fix, or have a fix that overlaps another. To fix the latter,
// analyze the packages again and call Fix with the new findings. Fix fails if a file cannot be
// written, or if a fixed file would not parse; such a file remains unchanged.
func Fix(findings []Finding) (left []Finding, err error) {
	_, left, edits := choose(findings)
	for name, of := range edits {
		if err := apply(name, of); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// Fixable returns the findings that Fix would fix.
func Fixable(findings []Finding) []Finding {
	fixed, _, _ := choose(findings)
	return fixed
}

// choose divides the findings into those that are fixed and those that are left, and returns the
// edits for each file.
func choose(findings []Finding) (fixed, left []Finding, edits map[string][]Edit) {
	edits = map[string][]Edit{}
	for _, f := range findings {
		if accept(edits, f.Fix) {
			fixed = append(fixed, f)
		} else {
			left = append(left, f)
		}
	}
	return fixed, left, edits
}

// accept adds either all edits of a fix or none, and reports whether it accepts the fix. An edit
// that is already present, such as an import that two fixes need, is not a conflict.
func accept(edits map[string][]Edit, fix []Edit) bool {
	var fresh []Edit
	for _, e := range fix {
		if slices.Contains(edits[e.File], e) {
			continue
		}
		if slices.ContainsFunc(edits[e.File], func(other Edit) bool { return overlap(e, other) }) {
			return false
		}
		fresh = append(fresh, e)
	}
	for _, e := range fresh {
		edits[e.File] = append(edits[e.File], e)
	}
	return len(fix) > 0
}

// overlap reports whether the order of two edits matters. The order matters also for two insertions
// at the same position.
func overlap(a, b Edit) bool {
	return a.Start == b.Start || a.Start < b.End && b.Start < a.End
}

// apply applies the edits to one file. The line endings of the file do not change.
func apply(name string, edits []Edit) error {
	original, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	slices.SortFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Start, a.Start) })
	text := slices.Clone(original)
	for _, e := range edits { // from the end, so that earlier offsets stay valid
		text = slices.Replace(text, e.Start, e.End, []byte(e.New)...)
	}
	fixed, err := format.Source(text)
	if err != nil {
		return fmt.Errorf("%s: the fixed file would not parse, so the file was not changed: %w", name, err)
	}
	return os.WriteFile(name, lineend.Like(original, fixed), info.Mode().Perm())
}
