// Package wrap inserts text into copies of source files, and adds files beside them, for builds
// with an overlay. Insertions do not change line numbers, so that profiles still match the source.
// The source tree is not modified.
package wrap

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An Insertion inserts text before the byte at an offset. The text must not contain a newline.
type Insertion struct {
	Offset int
	Text   string
}

// Changes contains insertions and new files. The keys are absolute paths.
type Changes struct {
	Insert map[string][]Insertion // insertions into existing files
	Add    map[string][]byte      // contents of new files
}

// Put adds an insertion.
func (c *Changes) Put(file string, offset int, text string) {
	if c.Insert == nil {
		c.Insert = map[string][]Insertion{}
	}
	c.Insert[file] = append(c.Insert[file], Insertion{offset, text})
}

// New adds a file.
func (c *Changes) New(file string, text []byte) {
	if c.Add == nil {
		c.Add = map[string][]byte{}
	}
	c.Add[file] = text
}

// Include adds the changes in other to c. If both insert text at the same offset, the text of c
// comes first.
func (c *Changes) Include(other Changes) {
	for file, all := range other.Insert {
		for _, in := range all {
			c.Put(file, in.Offset, in.Text)
		}
	}
	for file, text := range other.Add {
		c.New(file, text)
	}
}

// Write writes the changed files and the new files to a folder. It returns a map from the name of
// each original file to the name of the file that replaces it.
func (c *Changes) Write(folder string) (replace map[string]string, err error) {
	replace = map[string]string{}
	write := func(file string, text []byte) error {
		replace[file] = filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(file)))
		return os.WriteFile(replace[file], text, 0o666)
	}
	for _, file := range slices.Sorted(maps.Keys(c.Insert)) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if text, err = apply(text, c.Insert[file]); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		if err := write(file, text); err != nil {
			return nil, err
		}
	}
	for _, file := range slices.Sorted(maps.Keys(c.Add)) {
		if _, err := os.Stat(file); err == nil {
			return nil, fmt.Errorf("%s already exists", file)
		}
		if err := write(file, c.Add[file]); err != nil {
			return nil, err
		}
	}
	return replace, nil
}

func apply(text []byte, all []Insertion) ([]byte, error) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Insertion) int { return cmp.Compare(a.Offset, b.Offset) })
	var out []byte
	at := 0
	for _, in := range all {
		if in.Offset < 0 || in.Offset > len(text) {
			return nil, fmt.Errorf("offset %d is outside the file, which was changed during the run", in.Offset)
		}
		out = append(append(out, text[at:in.Offset]...), in.Text...)
		at = in.Offset
	}
	return append(out, text[at:]...), nil
}
