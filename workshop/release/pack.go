package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// pack writes the released modules to a folder with the layout of a module proxy. The modules
// contain the files that git tracks, with their contents in the working tree.
func pack(root, version, proxy string) error {
	tracked, err := git(root, "ls-files", "-z")
	if err != nil {
		return err
	}
	names := strings.Split(strings.TrimSuffix(tracked, "\x00"), "\x00")
	p := packing{root, version, proxy, names}
	for _, folder := range released {
		if err := p.module(folder); err != nil {
			return fmt.Errorf("packing %s: %w", path(folder), err)
		}
	}
	return nil
}

// A packing writes the modules of a checkout to the folder of a module proxy, as modules of the
// given version.
type packing struct {
	root, version, proxy string
	names                []string // names of the files that git tracks
}

// module writes the files of one module: its list of versions, the information about the version,
// go.mod and the archive.
func (p packing) module(folder string) error {
	mod, err := os.ReadFile(filepath.Join(p.root, folder, "go.mod"))
	if err != nil {
		return err
	}
	if mod, err = atVersion("go.mod", mod, p.version); err != nil {
		return err
	}
	var files []zip.File
	for _, name := range p.names {
		below, ok := strings.CutPrefix(name, folder+"/")
		if folder == "." {
			below, ok = name, true
		}
		switch {
		case !ok || inNested(p.names, folder, name):
		case below == "go.mod":
			files = append(files, file{below, filepath.Join(p.root, name), mod})
		default:
			files = append(files, file{below, filepath.Join(p.root, name), nil})
		}
	}
	m := module.Version{Path: path(folder), Version: p.version}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m, files); err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": p.version, "Time": time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	out := filepath.Join(p.proxy, filepath.FromSlash(m.Path), "@v")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list": []byte(p.version + "\n"), p.version + ".info": info, p.version + ".mod": mod, p.version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// inNested reports whether a file belongs to a module that is nested in the module in folder.
func inNested(names []string, folder, name string) bool {
	for dir := filepath.Dir(name); dir != folder && dir != "."; dir = filepath.Dir(dir) {
		if slices.Contains(names, dir+"/go.mod") {
			return true
		}
	}
	return false
}

// A file describes a file in the archive of a module. The contents of the file are data or, if data
// is nil, are read from path.
type file struct {
	name, path string
	data       []byte
}

func (f file) Path() string { return f.name }

func (f file) Lstat() (os.FileInfo, error) {
	info, err := os.Lstat(f.path)
	if err == nil && f.data != nil {
		return resized{info, int64(len(f.data))}, nil
	}
	return info, err
}

func (f file) Open() (io.ReadCloser, error) {
	if f.data != nil {
		return io.NopCloser(bytes.NewReader(f.data)), nil
	}
	return os.Open(f.path)
}

type resized struct {
	os.FileInfo
	size int64
}

func (r resized) Size() int64 { return r.size }

// git runs a git command in the folder root and returns its output.
func git(root string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}
