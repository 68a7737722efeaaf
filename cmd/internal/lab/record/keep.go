package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ReplacedFile is the name of the file to which Keep moves sessions.
const ReplacedFile = "replaced.jsonl"

// Keep keeps the sessions of a folder for which keep returns true. It moves all others to
// ReplacedFile, so that no measurement is lost. The caller must hold the folder's Lock.
func Keep(folder string, keep func(Session) bool) error {
	sessions, err := Read(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	kept, replaced := []Session{}, []Session{}
	for _, s := range sessions {
		if keep(s) {
			kept = append(kept, s)
		} else {
			replaced = append(replaced, s)
		}
	}
	if len(replaced) == 0 {
		return nil
	}
	if err := appendTo(filepath.Join(folder, ReplacedFile), os.DevNull, replaced); err != nil {
		return err
	}
	runs, bench := filepath.Join(folder, RunsFile), filepath.Join(folder, BenchFile)
	if len(kept) == 0 {
		return errors.Join(remove(runs), remove(bench))
	}
	for _, name := range []string{runs, bench} {
		if err := remove(name + ".new"); err != nil { // a killed process may have left the file
			return err
		}
	}
	if err := appendTo(runs+".new", bench+".new", kept); err != nil {
		return err
	}
	return errors.Join(os.Rename(runs+".new", runs), os.Rename(bench+".new", bench))
}

// remove removes a file if it exists.
func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// appendTo appends sessions to a runs file and a bench file, in the format of a Log.
func appendTo(runs, bench string, sessions []Session) (err error) {
	var l Log
	if l.runs, err = os.OpenFile(runs, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return fmt.Errorf("results folder: %w", err)
	}
	if l.bench, err = os.OpenFile(bench, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return errors.Join(fmt.Errorf("results folder: %w", err), l.runs.Close())
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	for _, s := range sessions {
		if err := errors.Join(l.line(s.Environment), writeConfig(l.bench, s.Environment)); err != nil {
			return err
		}
		for _, r := range s.Runs {
			if err := l.Add(r); err != nil {
				return err
			}
		}
	}
	return nil
}
