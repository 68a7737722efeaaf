package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs lists the packages from which release binaries are built.
var programs = part{packages: []string{"./cmd/coppice", "./cmd/coppice-vet"}}

// noticeHead is the start of a NOTICE, and rule is the line that precedes each text in it.
const (
	noticeHead = `Coppice is under the Apache License 2.0; LICENSE has its text. The programs coppice and coppice-vet
contain third-party code, too. These are the modules that they come from, and their licences.
`
	rule = "\n================================================================================\n\n"
)

// notices matches the names of NOTICE files. The Apache License requires that they are distributed
// with a program.
var notices = regexp.MustCompile(`(?i)^notice([.-].*)?$`)

// A noticed holds the text of a licence or a notice, and the modules that contain exactly this
// text.
type noticed struct {
	modules []string
	text    string
}

// notice returns the NOTICE of the programs. It contains the licences, with their copyright lines,
// of all modules that are compiled into the programs on any of the systems, and the NOTICE files of
// these modules. If several modules contain exactly the same text, it occurs only once.
func notice(ctx context.Context, root string) ([]byte, error) {
	goroot, err := goRoot(ctx, root)
	if err != nil {
		return nil, err
	}
	all := []dependency{{path: "Go's standard library", folder: goroot, packages: []string{"."}}}
	imported, err := programs.imported(ctx, root)
	if err != nil {
		return nil, err
	}
	var texts []noticed
	var bad []error
	for _, d := range append(all, imported...) {
		files, err := passedOn(os.DirFS(d.folder), d.packages)
		if err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", d.path, err))
			continue
		}
		name := strings.TrimSpace(d.path + " " + d.version)
		for _, text := range files {
			i := slices.IndexFunc(texts, func(n noticed) bool { return n.text == text })
			if i < 0 {
				i = len(texts)
				texts = append(texts, noticed{text: text})
			}
			if !slices.Contains(texts[i].modules, name) {
				texts[i].modules = append(texts[i].modules, name)
			}
		}
	}
	out := bytes.NewBufferString(noticeHead)
	for _, n := range texts {
		fmt.Fprintf(out, "%s%s\n\n%s\n", rule, strings.Join(n.modules, "\n"), n.text)
	}
	return out.Bytes(), errors.Join(bad...)
}

// goRoot returns the folder of the Go toolchain. The NOTICE includes its licence because every
// program contains packages of the standard library.
func goRoot(ctx context.Context, root string) (string, error) {
	dir, err := goList(ctx, root, systems[0], "-f", "{{.Root}}", "runtime")
	return filepath.Clean(strings.TrimSpace(string(dir))), err
}

// passedOn returns the texts that must be distributed with programs that contain packages of the
// module: first its licences and then its notices, without leading and trailing newlines.
func passedOn(module fs.FS, packages []string) (texts []string, err error) {
	_, files, err := find(module, packages)
	if err != nil {
		return nil, err
	}
	beside := map[string]bool{".": true}
	for _, file := range files {
		beside[path.Dir(file)] = true
	}
	var more []string
	for folder := range beside {
		entries, err := fs.ReadDir(module, folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if !e.IsDir() && notices.MatchString(e.Name()) && path.Ext(e.Name()) != ".go" {
				more = append(more, path.Join(folder, e.Name()))
			}
		}
	}
	slices.Sort(more)
	for _, file := range append(files, more...) {
		text, err := fs.ReadFile(module, file)
		if err != nil {
			return nil, err
		}
		lines := strings.ReplaceAll(string(text), "\r\n", "\n")
		texts = append(texts, strings.Trim(lines, "\n"))
	}
	return texts, nil
}
