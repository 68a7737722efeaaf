package prove

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/coppice-go/coppice/cmd/internal/process/filelock"
	"github.com/coppice-go/coppice/cmd/internal/prove/measure"
)

// These are the names of the files in the folder that stores the runs of a proof.
const (
	subjectsFile = "proof.json"
	runsFile     = "runs.jsonl"
)

// logSchema is the format version of both files.
const logSchema = 2

// A log stores the runs of a proof in a folder, so that an interrupted proof can continue.
type log struct {
	lock *filelock.Lock
	file *os.File
	done []measure.Run // runs that an earlier process stored
}

// A key identifies the programs and subjects whose runs a folder contains. Runs of other programs
// are never added to the folder, because the pairs would then compare different programs.
type key struct {
	Schema     int                 `json:"schema"`
	Programs   []map[string]string `json:"programs"` // checksums of the programs of each side
	Operations map[string]int      `json:"operations"`
	Around     *Around             `json:"around,omitempty"` // shell lines around the commands
}

// readKey reads the key of a folder. It returns false if the key does not exist or cannot be read.
func readKey(folder string) (key, bool) {
	var k key
	text, err := os.ReadFile(filepath.Join(folder, subjectsFile))
	return k, err == nil && json.Unmarshal(text, &k) == nil
}

// openLog opens a folder for the runs of a proof. It locks the folder; otherwise a second process
// could add runs that are not paired with the runs of this process.
func openLog(folder string, k key) (*log, error) {
	lock, err := filelock.Try(folder)
	if err != nil {
		return nil, err
	}
	l := &log{lock: lock}
	if err := l.open(folder, k); err != nil {
		lock.Release()
		return nil, err
	}
	return l, nil
}

// checkFolder returns an error if a folder contains runs of other programs. If the folder contains
// runs but no key, the origin of the runs is unknown. Such a folder is also rejected, so that
// nothing is overwritten.
func checkFolder(folder string, programs []map[string]string) error {
	before, ok := readKey(folder)
	if !ok {
		if _, err := os.Stat(filepath.Join(folder, runsFile)); err != nil {
			return nil
		}
	}
	if !reflect.DeepEqual(before.Programs, programs) {
		return otherRuns(folder)
	}
	return nil
}

func otherRuns(folder string) error {
	return fmt.Errorf("%s contains runs of other programs; nothing was overwritten; name another folder with -out", folder)
}

// open reads the runs in the folder, and opens the runs file for appending.
func (l *log) open(folder string, k key) error {
	if err := checkFolder(folder, k.Programs); err != nil {
		return err
	}
	name := filepath.Join(folder, runsFile)
	if before, ok := readKey(folder); ok {
		if before.Schema != k.Schema {
			return fmt.Errorf("%s was written by another version of coppice; nothing was overwritten; name another folder with -out", folder)
		}
		if !reflect.DeepEqual(before, k) {
			return otherRuns(folder)
		}
		var err error
		if l.done, err = readRuns(name); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(k, "", "\t")
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, subjectsFile), append(text, '\n'), 0o666)
	}
	var whole bytes.Buffer // the stored runs, without a line that was cut off
	for _, r := range l.done {
		if err == nil {
			err = json.NewEncoder(&whole).Encode(r)
		}
	}
	if err == nil {
		err = os.WriteFile(name+".part", whole.Bytes(), 0o666)
	}
	if err == nil {
		err = os.Rename(name+".part", name) // atomic: no run is lost if the process is killed here
	}
	if err == nil {
		l.file, err = os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	}
	if err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	return nil
}

// readRuns reads the runs in a file, up to the first incomplete line. A killed process leaves such
// a line, and no later line can follow it.
func readRuns(name string) ([]measure.Run, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var runs []measure.Run
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r measure.Run
		if json.Unmarshal(lines.Bytes(), &r) != nil {
			break
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// add appends a run to the file.
func (l *log) add(r measure.Run) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	return err
}

func (l *log) close() {
	_ = l.file.Close() // lines are not buffered, so Close has nothing to write
	l.lock.Release()
}
