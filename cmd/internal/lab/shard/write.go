package shard

import (
	_ "embed" // for the scripts
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"unicode"
)

//go:embed slurm.sh.tmpl
var slurmText string

//go:embed job.yaml.tmpl
var jobText string

// Names of the files in the folder of a plan, in addition to plan.json.
const (
	SlurmFile  = "slurm.sh"
	JobFile    = "job.yaml"
	BinaryFile = "coppice" // the program that made the plan, copied so that it does not change while the sweep runs

	shardsFolder = "shards"
	logsFolder   = "logs" // output of the Slurm tasks
	ignoreFile   = ".gitignore"
	part         = ".part" // suffix of plan.json while it is written
)

// piece is the default maximum number of tasks in a Slurm array. It is also the maximum number of
// pods that the Indexed Job of a plan runs at a time.
const piece = 1000

// A Place describes where a plan is written, and the program and the container image that its
// scripts use.
type Place struct {
	Folder string // folder of the plan
	Root   string // root of the repository, in which shards run
	Binary string // the program that made the plan
	Image  string // the container image for Kubernetes; it must have Go and git
}

// Write writes a plan to its folder. plan.json is written last, because a folder without this file
// is not a plan and may be written again. A folder that already contains a plan or results is not
// changed.
func Write(p Plan, at Place) error {
	folder, err := filepath.Abs(at.Folder)
	if err != nil {
		return err
	}
	for _, path := range []string{folder, at.Root} {
		if strings.ContainsFunc(path, unicode.IsControl) {
			return fmt.Errorf("the path %q cannot be written to scripts; choose one without control characters", path)
		}
	}
	if err := vacant(folder); err != nil {
		return fmt.Errorf("%s %w; nothing was overwritten; name another folder with -out", at.Folder, err)
	}
	for _, sub := range []string{shardsFolder, logsFolder} {
		if err := os.MkdirAll(filepath.Join(folder, sub), 0o777); err != nil {
			return fmt.Errorf("the plan's folder: %w; name a writable one with -out", err)
		}
	}
	// The .gitignore file hides the other files from git. Otherwise, they would be uncommitted
	// changes, so the revision of the tree would differ from the one in this plan and in others.
	if err := os.WriteFile(filepath.Join(folder, ignoreFile), []byte("*\n"), 0o666); err != nil {
		return err
	}
	if err := copyProgram(filepath.Join(folder, BinaryFile), at.Binary); err != nil {
		return err
	}
	for i := range p.Shards {
		if err := writeJSON(File(folder, i), p.Shard(i)); err != nil {
			return err
		}
	}
	if err := writeScripts(p, at, folder); err != nil {
		return err
	}
	name := filepath.Join(folder, PlanFile)
	if err := writeJSON(name+part, p); err != nil {
		return err
	}
	if err := os.Rename(name+part, name); err != nil {
		return err
	}
	return syncFolder(folder)
}

// vacant returns an error unless the folder does not exist, is empty, or contains only files of a
// plan that was not completely written. All other files belong to the user.
func vacant(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return fmt.Errorf("cannot hold a plan: %w", err)
	}
	ours := []string{shardsFolder, logsFolder, ignoreFile, BinaryFile, SlurmFile, JobFile, PlanFile + part}
	begun := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == shardsFolder })
	for _, e := range entries {
		if !begun || !slices.Contains(ours, e.Name()) {
			return fmt.Errorf("has a %s", e.Name())
		}
	}
	return nil
}

// writeJSON writes a value as indented JSON.
func writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// copyProgram copies a program. It removes the destination first, because the program there may be
// running.
func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o777)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// script contains the values for the templates of the scripts. Paths in slurm.sh are quoted.
type script struct {
	Plan
	Name, Script, Folder, RootOption, LogOption, Job, Image, RootPath, FolderPath, Program string
	LastOfPiece, Piece, Parallel, User, Group                                              int
}

// writeScripts writes the scripts for Slurm and Kubernetes.
func writeScripts(p Plan, at Place, folder string) error {
	s := script{
		Plan: p, Name: "coppice-" + p.Hash, Folder: quote(folder), RootPath: at.Root, FolderPath: folder,
		Script: quote(filepath.Join(folder, SlurmFile)), Job: quote(filepath.Join(folder, JobFile)), Program: filepath.Join(folder, BinaryFile),
		RootOption: option(at.Root), LogOption: option(strings.ReplaceAll(filepath.Join(folder, logsFolder), "%", "%%") + "/%A_%a.txt"),
		Image: at.Image, Piece: piece, LastOfPiece: min(p.Shards, piece) - 1, Parallel: min(p.Shards, piece),
		User: max(os.Getuid(), 0), Group: max(os.Getgid(), 0), // negative IDs on Windows become 0
	}
	for _, f := range []struct {
		name, text string
		mode       fs.FileMode
	}{{SlurmFile, slurmText, 0o777}, {JobFile, jobText, 0o666}} {
		t, err := template.New(f.name).Funcs(template.FuncMap{"yaml": yamlString}).Parse(f.text)
		if err != nil {
			return err
		}
		file, err := os.OpenFile(filepath.Join(folder, f.name), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, f.mode)
		if err != nil {
			return err
		}
		if err := errors.Join(t.Execute(file, s), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// quote quotes a word for the shell.
func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// option quotes a value for a line that begins with #SBATCH.
func option(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// yamlString quotes a string for YAML, in which every JSON string is valid.
func yamlString(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return string(quoted), err
}
