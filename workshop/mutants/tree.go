package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// copyTree copies the files that git tracks or would track to the folder, and the generated packages, which it does not.
func copyTree(ctx context.Context, from, to string) error {
	tracked, err := git(ctx, from, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if err != nil {
		return fmt.Errorf("%w; plant mutants in a checkout of Coppice", err)
	}
	generated, err := git(ctx, from, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", "flat", "workloads/jsast")
	if err != nil {
		return err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(tracked+generated, "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// plant writes the changed files into the copy and returns a function that restores the old ones.
func plant(folder string, b Mutant) (restore func() error, err error) {
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
