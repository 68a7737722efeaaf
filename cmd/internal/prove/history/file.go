package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// longest is the maximum length of a line, in bytes.
const longest = 1 << 20

// Read reads a history file. It skips each line that was cut off or that is not an Entry, and adds
// a warning. It returns an error if a line has a later schema, or if the file is not empty but
// contains no entry.
func Read(name string) (all []Entry, warnings []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, fmt.Errorf("%w; coppice prove -record FILE writes a history", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 0, 1<<12), longest)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		e, err := parse(line)
		switch {
		case e.Schema > Schema:
			return nil, nil, fmt.Errorf("%s:%d has schema %d; this version reads schema %d: use a newer coppice", name, n, e.Schema, Schema)
		case err != nil:
			warnings = append(warnings, fmt.Sprintf("%s:%d was skipped: %v", name, n, err))
		default:
			all = append(all, e)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w; the file is not a history written by coppice prove -record", name, n+1, err)
	}
	if len(all) == 0 && len(warnings) > 0 {
		return nil, nil, fmt.Errorf("%s is not a history written by coppice prove -record: it has no valid entry", name)
	}
	return all, warnings, nil
}

// parse parses a line of a history file.
func parse(line []byte) (e Entry, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		if errors.As(err, new(*json.SyntaxError)) {
			return e, errors.New("it is truncated, or is not JSON")
		}
		return e, err
	}
	if e.Schema < 1 {
		return e, fmt.Errorf("unknown schema %d; want %d", e.Schema, Schema)
	}
	return e, e.check()
}

// Check verifies that entries can be appended to a file. It is called before a proof, which may
// take minutes. The file must be writable, and it must be a history or not exist; Check creates it
// if necessary.
func Check(name string) error {
	if _, _, err := Read(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("-record: %w", err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("-record: %w; name a writable file", err)
	}
	return f.Close()
}

// Append appends entries to a file with a single write, and creates the file if necessary. Because
// of the single write, two processes that append at once do not mix their lines, and a killed
// process leaves at most one incomplete line. If the file ends with an incomplete line, Append
// terminates it first.
func Append(name string, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var text bytes.Buffer
	for i := range entries {
		line, err := json.Marshal(&entries[i])
		if err != nil {
			return fmt.Errorf("-record: %w", err)
		}
		text.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return fmt.Errorf("-record: %w; name a writable file", err)
	}
	whole, err := ended(f)
	out := text.Bytes()
	if !whole {
		out = append([]byte("\n"), out...)
	}
	if err == nil {
		_, err = f.Write(out)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("-record: %w", err)
	}
	return nil
}

// ended reports whether the last line of a file ends with a newline.
func ended(f *os.File) (bool, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return true, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return last[0] == '\n', err
}
