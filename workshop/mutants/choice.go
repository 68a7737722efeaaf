package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// chosen returns the mutants that the flags select, and notes about the mutants that were left out.
func (o options) chosen(ctx context.Context) (mutants []Mutant, notes []string, err error) {
	mutants, err = Corpus(os.DirFS(filepath.Join(o.root, corpusFolder)))
	if err != nil {
		return nil, nil, fmt.Errorf("the corpus: %w", err)
	}
	mutants = slices.DeleteFunc(mutants, func(b Mutant) bool { return !o.pattern.MatchString(b.Name) })
	if len(mutants) == 0 {
		return nil, nil, fmt.Errorf("no mutant matches %q; -list prints their names", o.pattern)
	}
	if o.usual {
		all := len(mutants)
		mutants = slices.DeleteFunc(mutants, func(b Mutant) bool { return b.Size == FullSize })
		if n := all - len(mutants); n > 0 {
			notes = append(notes, fmt.Sprintf("left out: %d that only tests of the full size notice", n))
		}
	}
	if o.sample == 0 && o.changed == "" {
		return mutants, notes, nil
	}
	taken := map[string]bool{}
	for _, b := range mutants {
		taken[b.Name] = o.sample > 0 && inSample(b.Name, o.sample)
	}
	if o.changed != "" {
		files, err := changedSince(ctx, o.root, o.changed)
		if err != nil {
			return nil, nil, fmt.Errorf("-changed: %w", err)
		}
		touched := slices.DeleteFunc(touchedBy(files, mutants), func(b Mutant) bool { return taken[b.Name] })
		all := len(touched)
		touched = slices.DeleteFunc(touched, func(b Mutant) bool { return o.slow != nil && slices.ContainsFunc(b.Tests, o.slow.MatchString) })
		if n := all - len(touched); n > 0 {
			notes = append(notes, fmt.Sprintf("left out: %d that the changes touch and whose tests -slow names", n))
		}
		for _, b := range touched[:min(o.most, len(touched))] {
			taken[b.Name] = true
		}
		if n := len(touched) - o.most; n > 0 {
			notes = append(notes, fmt.Sprintf("left out: %d of %d that the changes since %s touch; -most %[2]d tries them too", n, len(touched), o.changed))
		}
	}
	mutants = slices.DeleteFunc(mutants, func(b Mutant) bool { return !taken[b.Name] })
	if len(mutants) == 0 && o.changed == "" {
		return nil, nil, fmt.Errorf("a sample of one mutant in %d has none; take a smaller number", o.sample)
	}
	return mutants, notes, nil
}

// inSample reports whether a mutant belongs to a sample of one in k mutants. The result depends
// only on the name of the mutant, so adding or removing a mutant leaves the rest of the sample
// unchanged.
func inSample(name string, k int) bool { return hash(name)%uint64(k) == 0 }

func hash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// touchedBy returns the mutants that the changed files touch. First come the mutants whose own
// files changed. Then come the mutants that edit a changed file, or that have tests in a package
// with a changed file, including files in its testdata. Both groups are sorted by hash.
func touchedBy(files []string, mutants []Mutant) (touched []Mutant) {
	changed, own, packages := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range files {
		changed[f] = true
		if name, ok := strings.CutPrefix(f, corpusFolder+"/"); ok {
			own[strings.TrimSuffix(name, path.Ext(name))] = true
		}
		folder, _, _ := strings.Cut(path.Dir(f)+"/", "/testdata/")
		packages[path.Clean(folder)] = true
	}
	for _, b := range mutants {
		if own[b.Name] ||
			slices.ContainsFunc(b.Edits, func(e Edit) bool { return changed[e.File] }) ||
			slices.ContainsFunc(b.Tests, func(folder string) bool { return packages[path.Clean(folder)] }) {
			touched = append(touched, b)
		}
	}
	slices.SortFunc(touched, func(a, b Mutant) int {
		switch {
		case own[a.Name] && !own[b.Name]:
			return -1
		case own[b.Name] && !own[a.Name]:
			return 1
		}
		return cmp.Compare(hash(a.Name), hash(b.Name))
	})
	return touched
}

// changedSince returns the files of the working tree that differ from the merge base of HEAD and
// the revision, and the untracked files.
func changedSince(ctx context.Context, root, revision string) (files []string, err error) {
	commit, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("git has no commit %q; fetch it, or name another", revision)
	}
	for _, args := range [][]string{
		{"diff", "-z", "--name-only", "--no-renames", "--relative", "--merge-base", strings.TrimSpace(commit), "--"},
		{"ls-files", "-z", "--others", "--exclude-standard"},
	} {
		list, err := git(ctx, root, args...)
		if err != nil {
			return nil, err
		}
		files = append(files, strings.FieldsFunc(list, func(r rune) bool { return r == 0 })...)
	}
	return files, nil
}

// git runs git in the given folder and returns its standard output.
func git(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
