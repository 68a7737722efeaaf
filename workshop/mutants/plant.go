package main

import (
	"errors"
	"os"
	"path/filepath"
)

// apply writes the files that a mutant changes to the folder, and returns a function that restores
// the old files.
func apply(folder string, b Mutant) (restore func() error, err error) {
	changed, err := b.Apply(os.DirFS(folder))
	if err != nil {
		return nil, err
	}
	var old []func() error
	restore = func() error {
		for _, put := range old {
			if err := put(); err != nil {
				return err
			}
		}
		return nil
	}
	for file, text := range changed {
		name := filepath.Join(folder, file)
		before, err := os.ReadFile(name)
		if err != nil {
			return nil, errors.Join(err, restore())
		}
		old = append(old, func() error { return os.WriteFile(name, before, 0o666) })
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return nil, errors.Join(err, restore())
		}
	}
	return restore, nil
}
